// The parts on greedy drafts and on two positions drawn in parallel, drawn again from the state as the rest of the page is.
const number = x => x === Infinity ? "∞" : x === 0 ? "0" : String(Number(x.toPrecision(4)));
const fractionOr = x => x === null ? "∞" : told(x);
const yes = flag => flag ? "yes" : "no";
const cellOf = (...content) => make("td", {}, ...content);

// ---- greedy drafts ----

const WAY = 96;  // points of a curve
// KL and TV on the way from p to q, in units of their radius; where the certificate ends; and what is drafted.
function wayOf(c) {
  const places = Array.from({length: WAY + 1}, (_, n) => fraction(n, WAY));
  const kl = t => divergence(c.p, between(c.p, c.q, t)) / c.klRadius;
  const lines = c.failing && c.tvRadius.n ? [
    ["tv", [[0, 0], [1, value(c.tv) / value(c.tvRadius)]].map(([t, y]) => y > 2 ? [t * 2 / y, 2] : [t, y])],
    ["kl", places.map(t => [value(t), kl(t)])],
  ] : [];
  return {lines, ways: stretches(c.p, c.q), end: certifiedUpTo(c)};
}
// How far the way from p to q is certified, as a number from 0 to 1.
function certifiedUpTo(c) {
  if (!c.failing || c.certifiedTv || c.certifiedKl) return 1;
  if (!c.tvRadius.n) return 0;
  const byVariation = value(div(c.tvRadius, c.tv));
  let low = 0, high = 1;
  for (let n = 0; n < 40; n++) {
    const middle = (low + high) / 2;
    if (divergence(c.p, between(c.p, c.q, exactly(middle))) < c.klRadius) low = middle; else high = middle;
  }
  return Math.max(byVariation, low);
}
function bandOf({ways, end}, rejected) {
  const zones = end > 0 ? [["kept", 0, end, "certified"]] : [];
  for (const {from, to, token} of ways) {
    const start = Math.max(value(from), end), words = rejected[token] ? "rejected" : "accepted, not certified";
    if (value(to) > start) zones.push([rejected[token] ? "rejected" : "replaced", start, value(to), `token ${token}: ${words}`]);
  }
  return zones;
}
function greedyWords(c) {
  const certified = [["total variation", c.certifiedTv], ["KL divergence", c.certifiedKl]].filter(([, flag]) => flag).map(([name]) => name);
  const verdict = certified.length ? `Certified by ${certified.join(" and ")}.` : "Not certified.";
  const truth = `Token ${c.drafted} is drafted and ${c.accepted ? "accepted" : "rejected"}.`;
  const notes = [
    !c.failing && "The criterion rejects no token, so that every draft is accepted.",
    c.failing && !c.tvRadius.n && "A rejected token is as likely as the likeliest: both radii are 0, and nothing is certified.",
    c.tied && "q has several likeliest tokens; the first of them is drafted.",
    !certified.length && c.accepted && "A certificate asks for a q near p in every token, acceptance for its likeliest token only.",
  ];
  return [verdict, truth, ...notes.filter(Boolean)].join(" ");
}
function drawGreedy() {
  const c = certificateIn(state), {dial} = DATA.criteria[state.args.criterion], way = wayOf(c);
  if (!updates.criterion) buildDials("criterion-dial", ["criterion"]);
  if (!at(`${dial}-hint`)) buildDials("criterion-number", [dial]);
  for (const name of ["criterion", dial]) updates[name](state.args[name]);
  charts["greedy-p"].update(c.p, {notes: c.rejected.map(flag => flag ? " ×" : "")});
  charts["greedy-q"].update(c.q, {wanted: c.failing && c.failing.law, notes: c.q.map((_, i) => i === c.drafted ? " ▲" : "")});
  at("chart-way").replaceChildren(plot(wayLabel(c, way), [["limit", way.lines.length ? [[0, 1], [1, 1]] : []], ...way.lines],
    {low: 0, high: 2, ticks: [[0, "0"], [1, "1"], [2, "2"]], ends: ["p", "q"], band: bandOf(way, c.rejected)}));
  at("margin-shown").replaceChildren(...shown(c.margin));
  at("certified").textContent = c.certifiedTv || c.certifiedKl ? "certified" : "not certified";
  at("drafted").textContent = `token ${c.drafted}: ${c.accepted ? "accepted" : "rejected"}`;
  at("greedy-words").setAttribute("aria-live", at("greedy").contains(document.activeElement) ? "polite" : "off");
  at("greedy-words").textContent = greedyWords(c);
  at("radii").tBodies[0].replaceChildren(
    make("tr", {}, make("th", {scope: "row"}, "total variation"), cellOf(fractionOr(c.tv)), cellOf(fractionOr(c.tvRadius)), cellOf(yes(c.certifiedTv))),
    make("tr", {}, make("th", {scope: "row"}, "KL(p‖q), nats"), cellOf(number(c.kl)), cellOf(number(c.klRadius)), cellOf(yes(c.certifiedKl))));
  at("greedy-code").textContent = greedySnippet(state);
}
const wayLabel = (c, way) => `On the way from p to q, ${decimal(exactly(way.end))} of it from p on is certified. ` +
  `Drafted are, one after the other: ${way.ways.map(({token, to}) =>
    `token ${token}, ${c.rejected[token] ? "rejected" : "accepted"}, up to ${decimal(to)}`).join("; ")}.`;

// ---- two positions in parallel ----

let builtJoint = 0, jointInputs = [];  // the vocabulary of the charts, and what they show
function lawFigure(edited, caption, of) {
  const V = edited.read().length, id = edited.name, chart = sliders({id, kind: "p", label: caption, of}, V, handlers(edited));
  const box = make("input", {type: "text", id: `type-${id}`, autocomplete: "off", spellcheck: "false", "aria-describedby": "type-hint"});
  typing(box, edited);
  charts[id] = chart;
  return make("figure", {}, make("figcaption", {}, caption), make("div", {class: "chart"}, chart.svg),
    make("label", {class: "exact"}, make("span", {}, "or type it"), box));
}
function buildJoint(V) {
  at("joint").replaceChildren(lawFigure(LAWS.first, "First token", i => `first token ${i}`),
    ...state.rows.map((_, x) => lawFigure(rowAfter(x), `Second token after ${x}`, y => `second token ${y} after ${x}`)));
  builtJoint = V;
}
const STEPS = 20;
// Accepted drafts of two over the dependence: of the marginal, of the best law, and what no law exceeds.
function dependenceCurves() {
  const steps = Array.from({length: STEPS + 1}, (_, n) => fraction(n, STEPS)), {dependence} = state.args;
  const places = [...steps.filter(t => !same(t, dependence)), dependence].sort(order);
  const results = places.map(t => [value(t), parallelIn(state, t)]), drafts = x => 1 + value(x);
  return [
    ["limit", results.map(([t, {marginal}]) => [t, drafts(div(add(ONE, marginal.acceptance), TWO))])],
    ["best", results.map(([t, {best}]) => [t, drafts(best.acceptance)])],
    ["marginal", results.map(([t, {marginal}]) => [t, drafts(marginal.acceptance)])],
  ];
}
// The mass of the second draft, accepted and rejected, token by token.
function draftChart(name, {first, rows}, {draft}) {
  const kept = draft.map((mass, y) => total(first.map((a, x) => mul(a, least(rows[x][y], mass)))));
  const rejected = draft.map((mass, y) => sub(mass, kept[y]));
  return stacked(`${name}. Accepted: ${listed(kept)}. Rejected: ${listed(rejected)}.`,
    [["kept", kept, "accepted"], ["rejected", rejected, "rejected"]]);
}
function parallelWords({marginal, best, level}) {
  const gained = sub(best.acceptance, marginal.acceptance);
  const certificate = `No law is accepted more often than the best one: with λ = ${text(level)} the target has more of each token with ` +
    "probability λ at most, and no less of each token that it drafts with probability λ at least.";
  return gained.n === 0n ? `The marginal is accepted as often as the best law. ${certificate}`
    : `The best law is accepted ${told(gained)} more often than the marginal. ${certificate}`;
}
function drawCertificate({level, marginal, best}) {
  const certified = ({more, noLess, draft}, y) => !less(level, more[y]) && !(draft[y].n && less(noLess[y], level));
  const columns = (law, y) => [law.draft[y], law.more[y], law.noLess[y]].map(x => cellOf(text(x)));
  at("optimality").tBodies[0].replaceChildren(...best.draft.map((_, y) => make("tr", {}, make("th", {scope: "row"}, String(y)),
    ...columns(marginal, y), cellOf(yes(certified(marginal, y))), ...columns(best, y), cellOf(yes(certified(best, y))))));
}
function drawParallel() {
  const inputs = [state.first, state.rows, state.args.dependence];
  if (inputs.every((part, n) => part === jointInputs[n])) return;  // p or q was dragged: nothing here changes
  jointInputs = inputs;
  const result = parallelIn(state), V = state.first.length, {marginal, best} = result;
  if (!updates.dependence) buildDials("dependence-dial", ["dependence"]);
  if (builtJoint !== V) buildJoint(V);
  updates.dependence(state.args.dependence);
  charts.first.update(result.first);
  showTyped(at("type-first"), state.first);
  state.rows.forEach((row, x) => {
    charts[`row-${x}`].update(law(row), {wanted: same(state.args.dependence, ONE) ? null : result.rows[x]});
    showTyped(at(`type-row-${x}`), row);
  });
  at("joint-vocab").value = V;
  at("chart-marginal").replaceChildren(draftChart("The marginal", result, marginal));
  at("chart-best").replaceChildren(draftChart("The best law", result, best));
  at("chart-dependence").replaceChildren(plot(`Accepted drafts of two at dependence ${decimal(state.args.dependence)}: ` +
    `${decimal(add(ONE, best.acceptance))} with the best law, ${decimal(add(ONE, marginal.acceptance))} with the marginal.`, dependenceCurves(),
  {low: 1, high: 2, ticks: [[1, "1"], [1.5, "1½"], [2, "2"]], ends: ["dependence 0", "1"], at: value(state.args.dependence)}));
  for (const [name, draft] of [["marginal", marginal], ["best", best]]) {
    at(`${name}-accepted`).replaceChildren(...shown(add(ONE, draft.acceptance)));
    at(`${name}-gap`).replaceChildren(...shown(draft.gap));
  }
  at("parallel-words").textContent = parallelWords(result);
  drawCertificate(result);
  at("parallel-code").textContent = parallelSnippet(state);
}
const jointOf = rows => change({rows, args: {...state.args, dependence: ONE}});
at("joint-vocab").addEventListener("change", event => change(withJointVocabulary(state, Number(event.target.value))));
at("joint-repeats").addEventListener("click", () => jointOf(state.first.map((_, x) => state.first.map((_, y) => x === y ? GRID : 0))));
at("joint-random").addEventListener("click", () => {
  const drawn = () => shares(GRID, state.first.map(() => Math.log(1 - Math.random()) ** 2));
  change({first: drawn(), rows: state.first.map(drawn)});
});
at("joint-again").addEventListener("click", () => change({...readJoint(new URLSearchParams("")), args: {...state.args, dependence: ONE}}));
for (const id of ["greedy-form", "parallel-form"]) at(id).addEventListener("submit", event => event.preventDefault());
