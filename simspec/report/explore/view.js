// What the reader sees and does. The state changes in `change` only; everything shown is drawn again from it.
const at = id => document.getElementById(id);
let state = null, drag = null, charts = {}, built = "";

// A counterexample that is changed stays beside what is shown: nothing moves under the pointer.
function change(made) {
  state = {...state, ...made};
  draw();
  remember();
}
let waiting = 0;
function remember() {
  clearTimeout(waiting);
  waiting = setTimeout(() => history.replaceState(null, "", `#${writeState(state)}`), 150);
}
// The listed counterexample that is shown; none where it has been changed.
const viewOf = read => ([...at("claim").options].find(({value}) => value && writeState(readState(value)) === writeState(read)) || {}).value || "";
function load(fragment) {
  clearTimeout(waiting);
  drag = null;
  state = readState(fragment);
  draw();
}

// ---- the laws ----

// What is edited: a name, how its weights are read, and how they are written. The draft's part shows p and q a second time.
const LAWS = {
  p: {name: "p", read: () => state.p, write: weights => change({p: weights})},
  q: {name: "q", read: () => state.q, write: weights => change({q: weights})},
  first: {name: "first", read: () => state.first, write: weights => change({first: weights})},
};
const rowAfter = x => ({name: `row-${x}`, read: () => state.rows[x],
  write: weights => change({rows: state.rows.map((row, n) => n === x ? weights : row)})});

// While one bar is moved the others are scaled from what they were when that began, so that going back comes back.
function moving(edited, i, wanted) {
  const {name} = edited;
  if (!drag || drag.name !== name || drag.at !== i || drag.last !== edited.read()) drag = {name, at: i, base: edited.read()};
  edited.write(withWeight(drag.base, i, wanted));
  drag.last = edited.read();
}
const handlers = edited => ({
  start: () => { drag = null; },
  move: (i, height) => moving(edited, i, Math.round(Math.min(Math.max(height, 0), 1) * size(edited.read()))),
  nudge: (i, parts) => moving(edited, i, Math.min(Math.max(edited.read()[i] + parts, 0), size(edited.read()))),
});
function typing(box, edited) {
  box.addEventListener("change", () => {
    const weights = typed(box.value, edited.read().length);
    box.setAttribute("aria-invalid", String(!weights));
    if (weights) edited.write(weights);
  });
}
function showTyped(box, weights) {
  box.value = law(weights).map(text).join(" ");
  box.setAttribute("aria-invalid", "false");
}
function buildCharts(V) {
  for (const [name, whose] of [["p", "target"], ["q", "draft"]]) {
    for (const prefix of ["", "greedy-"]) {
      const id = prefix + name;
      charts[id] = sliders({id, kind: name, label: `${name}, the law of the ${whose}`, of: i => `${name} of token ${i}`}, V, handlers(LAWS[name]));
      at(`chart-${id}`).replaceChildren(charts[id].svg);
    }
  }
}
for (const name of ["p", "q"]) typing(at(`type-${name}`), LAWS[name]);

// ---- the parameters ----

const setArg = (name, given) => change({args: {...state.args, [name]: given}});
const DIAL = {
  number(name, dial) {
    const low = parsed(dial.low), step = parsed(dial.step), steps = value(div(sub(parsed(dial.high), low), step));
    const range = make("input", {type: "range", min: 0, max: steps, id: `${name}-range`, "aria-describedby": `${name}-hint`});
    const box = make("input", {type: "text", id: `${name}-box`, autocomplete: "off", inputmode: "text"});
    range.addEventListener("input", () => setArg(name, add(low, mul(step, fraction(Number(range.value))))));
    box.addEventListener("change", () => { setArg(name, parsed(box.value) ? KINDS.number.read(box.value, dial) : state.args[name]); });
    return numeric(name, dial, range, box, x => {
      range.value = Math.round(value(div(sub(x, low), step)));
      range.setAttribute("aria-valuetext", told(x)); box.value = text(x);
    });
  },
  whole(name, dial) {
    const high = name === "k" ? state.p.length : dial.high;
    const range = make("input", {type: "range", min: dial.low, max: high, id: `${name}-range`, "aria-describedby": `${name}-hint`});
    const box = make("input", {type: "text", id: `${name}-box`, autocomplete: "off", inputmode: "numeric"});
    const set = word => setArg(name, KINDS.whole.read(/^\s*\d{1,3}\s*$/.test(word) ? word.trim() : String(state.args[name]), dial, state.p.length, name));
    range.addEventListener("input", () => set(range.value));
    box.addEventListener("change", () => set(box.value));
    return numeric(name, dial, range, box, n => { range.value = n; box.value = n; });
  },
  tokens(name, dial) {
    const buttons = state.args[name].map((_, i) => {
      const button = make("button", {type: "button", id: `${name}-${i}`, "aria-label": `token ${i}: ${dial.label}`}, String(i));
      button.addEventListener("click", () => {
        const flags = state.args[name].map((flag, j) => j === i ? !flag : flag);
        if (name !== "shared" || flags.some(Boolean)) setArg(name, flags);
      });
      return button;
    });
    return grouped(name, dial, [make("div", {class: "flags"}, ...buttons)],
      flags => flags.forEach((flag, i) => buttons[i].setAttribute("aria-pressed", String(flag))));
  },
  choice(name, dial) {
    const select = make("select", {id: `${name}-choice`, "aria-describedby": `${name}-hint`},
      ...dial.options.map(([key, label]) => make("option", {value: key}, label)));
    select.addEventListener("change", () => setArg(name, select.value));
    const label = make("label", {class: "dial"}, make("span", {class: "name"}, dial.label), select);
    return [make("div", {}, label, hint(name, dial)), key => { select.value = key; }];
  },
  matrix(name, dial) {
    const V = state.p.length, cells = [];
    const table = make("table", {class: "grid"}, make("tbody", {}));
    const cell = (i, j) => {
      const input = make("input", {type: "text", inputmode: "numeric", autocomplete: "off", id: `${name}-${i}-${j}`,
        "aria-label": `weight of token ${i}'s mass that goes to token ${j}`});
      input.addEventListener("change", () => {
        const rows = state.args[name].map(row => [...row]);
        if (/^\d{1,4}$/.test(input.value)) rows[i][j] = Number(input.value);
        setArg(name, size(rows[i]) ? rows : state.args[name]);
      });
      cells.push(input);
      return make("td", {}, input);
    };
    for (let i = 0; i < V; i++) {
      table.firstChild.append(make("tr", {}, make("th", {scope: "row"}, String(i)), ...Array.from({length: V}, (_, j) => cell(i, j))));
    }
    const presets = Object.entries({next: "to the next", identity: "stay", everywhere: "everywhere"}).map(([key, label]) => {
      const button = make("button", {type: "button"}, label);
      button.addEventListener("click", () => setArg(name, AFFINITIES[key](V)));
      return button;
    });
    return grouped(name, dial, [table, make("div", {class: "flags"}, ...presets)],
      rows => rows.flat().forEach((w, n) => { cells[n].value = w; }));
  },
};
const hint = (name, dial) => make("p", {class: "hint", id: `${name}-hint`}, dial.hint);
function numeric(name, dial, range, box, update) {
  box.setAttribute("aria-label", `${dial.label}, exactly`);
  const label = make("label", {for: range.id, class: "name"}, dial.label);
  return [make("div", {class: "dial"}, label, make("div", {class: "line"}, range, box), hint(name, dial)), update];
}
const grouped = (name, dial, parts, update) =>
  [make("fieldset", {class: "dial", "aria-describedby": `${name}-hint`}, make("legend", {}, dial.label), ...parts, hint(name, dial)), update];

const updates = {};
function buildDials(place, names) {
  at(place).replaceChildren(...names.map(name => {
    const dial = DATA.dials[name], [element, update] = DIAL[dial.kind](name, dial);
    updates[name] = update;
    return element;
  }));
}

// ---- what follows ----

const shown = x => [text(x), make("small", {}, x.d === 1n ? "exactly" : `${exactDecimal(x) ? "=" : "≈"} ${decimal(x)}`)];
function wordsFor(step) {
  const gained = sub(step.alpha, step.sd), {title} = DATA.rules[state.rule], said = [];
  if (state.rule !== "sd" || state.args.residual !== "own") {
    said.push(gained.n === 0n ? "It keeps as much as speculative decoding would here."
      : `It keeps ${text(absolute(gained))} ${gained.n > 0n ? "more" : "less"} than speculative decoding would here (${text(step.sd)}).`);
  }
  if (step.bias.n === 0n) return [`${title} is lossless on these laws: what comes out has exactly the law p.`, ...said].join(" ");
  const spare = sub(add(step.overlap, step.bias), step.alpha);
  said.push(spare.n === 0n ? "No rule that drafts from this law accepts as much at less bias."
    : `The best rule of this bias would accept ${text(spare)} more.`);
  return [`${title} is biased on these laws: what comes out differs from p by ${text(step.bias)} in total variation.`, ...said].join(" ");
}
function drawMasses(step) {
  const rejected = step.d.map((x, i) => sub(x, step.k[i])), columns = [step.p, step.q, step.d, step.k, rejected, step.replaced, step.o];
  const cell = x => make("td", {}, text(x), ...(x.d === 1n ? [] : [make("span", {class: "d"}, decimal(x))]));
  const signed = x => make("td", {class: x.n > 0n ? "more" : x.n < 0n ? "fewer" : ""}, (x.n > 0n ? "+" : "") + text(x).replace("-", "−"));
  at("masses").tBodies[0].replaceChildren(...step.p.map((_, i) =>
    make("tr", {}, make("th", {scope: "row"}, String(i)), ...columns.map(list => cell(list[i])), signed(sub(step.o[i], step.p[i])))));
  at("masses").tFoot.replaceChildren(make("tr", {}, make("th", {scope: "row"}, "sum"), ...columns.map(list => cell(sum(list))), make("td", {}, "0")));
}
const NOTES = {flags: [" ⚑", ""], shared: ["", " ×"]};
function notesFor() {
  const name = DATA.rules[state.rule].dials.find(dial => NOTES[dial]);
  return name ? state.args[name].map(flag => NOTES[name][flag ? 0 : 1]) : [];
}
const listed = list => list.map((x, i) => `token ${i} ${text(x)}`).join(", ");
function drawStep(step) {
  const rejected = step.d.map((x, i) => sub(x, step.k[i]));
  at("chart-d").replaceChildren(stacked(`What is drafted. Kept: ${listed(step.k)}. Rejected: ${listed(rejected)}.`,
    [["kept", step.k, "drafted and kept"], ["rejected", rejected, "drafted and rejected"]], {notes: notesFor()}));
  at("chart-o").replaceChildren(stacked(`What comes out: ${listed(step.o)}. The target wants ${listed(step.p)}.`,
    [["kept", step.k, "kept"], ["replaced", step.replaced, "comes in after a rejection"]], {wanted: step.p}));
  at("acceptance").replaceChildren(...shown(step.alpha));
  at("bias").replaceChildren(...shown(step.bias));
  at("bias").lastChild.append(step.bias.n === 0n ? ": lossless" : ": not lossless");
  at("length").replaceChildren(...shown(step.length));
  at("length").lastChild.append(` for γ = ${state.args.gamma}, steps alike and independent`);
  at("words").textContent = wordsFor(step) + (step.tie ? " A token meets the limit exactly: the page rejects it, and in the package rounding decides." : "");
  drawMasses(step);
}
function attempt(rule) {
  try { return stepOf(state, rule); }
  catch (error) { if (error instanceof Refused) return error; throw error; }
}
const bar = x => make("td", {class: "b"}, make("span", {class: x.n ? "bar" : "bar none", style: `width:${100 * value(x)}%`}));
function drawRules() {
  at("rules").tBodies[0].replaceChildren(...Object.entries(DATA.rules).map(([name, rule]) => {
    const step = attempt(name), link = make("a", {href: `#${writeState({...state, claim: ""}, name)}`, title: rule.hint}, rule.title);
    const row = make("tr", {style: `--c:${rule.colour}`, ...(name === state.rule ? {"aria-current": "true"} : {})},
      make("th", {scope: "row"}, make("span", {class: "swatch"}), link));
    if (step instanceof Refused) row.append(make("td", {colspan: 4}, "no law with these parameters"));
    else for (const x of [step.alpha, step.bias]) row.append(make("td", {class: "v", title: decimal(x)}, text(x).length < 12 ? text(x) : `≈ ${decimal(x)}`), bar(x));
    return row;
  }));
}
function drawClaim() {
  const article = state.claim && at(`claim-${state.claim}`);
  at("callout").hidden = !article;
  if (!article) return;
  at("callout-title").textContent = `Counterexample to ${state.claim}${viewOf(state) ? "" : ", changed"}`;
  const links = article.querySelector(".views").cloneNode(true);
  for (const link of links.querySelectorAll("a")) if (writeState(readState(link.hash)) === writeState(state)) link.setAttribute("aria-current", "true");
  at("callout-body").replaceChildren(article.querySelector(".told").cloneNode(true),
    make("p", {}, make("b", {}, "What to look at: "), DATA.looks[state.claim]), ...(links.children.length > 1 ? [links] : []));
}

// A parameter in words, for print.
function settingOf(name) {
  const dial = DATA.dials[name], word = KINDS[dial.kind].write(state.args[name]);
  const tokens = () => state.args[name].flatMap((flag, i) => flag ? [i] : []).join(", ") || "none";
  return `${dial.label}: ${dial.kind === "tokens" ? tokens() : dial.kind === "choice" ? dial.options.find(([key]) => key === word)[1] : word}`;
}

function draw() {
  const V = state.p.length, shape = [V, state.rule].join(), rule = DATA.rules[state.rule];
  if (built.split(",")[0] !== String(V)) buildCharts(V);
  if (built !== shape) buildDials("dials", shownDials(state));
  built = shape;
  document.documentElement.style.setProperty("--c", rule.colour);
  for (const name of ["p", "q"]) {
    charts[name].update(law(state[name]));
    showTyped(at(`type-${name}`), state[name]);
  }
  at("rule").value = state.rule; at("rule-hint").textContent = `${rule.hint}.`; at("vocab").value = V;
  at("claim").value = state.claim ? viewOf(state) : "";
  for (const name of shownDials(state)) updates[name](state.args[name]);
  at("words").setAttribute("aria-live", at("greedy").contains(document.activeElement) ? "off" : "polite");
  const step = attempt(state.rule), refused = step instanceof Refused;
  at("refused").hidden = !refused; at("numbers").hidden = refused; at("masses").hidden = refused;
  if (refused) {
    at("refused").textContent = step.message;
    for (const id of ["chart-d", "chart-o"]) at(id).replaceChildren();
  } else drawStep(step);
  drawRules();
  drawClaim();
  at("code").textContent = snippet(state);
  at("setting").textContent = [rule.title, ...shownDials(state).map(settingOf)].join("; ");
  drawGreedy();
  drawParallel();
}

// ---- what the reader does ----

at("controls").addEventListener("submit", event => event.preventDefault());
at("rule").addEventListener("change", event => change({rule: event.target.value}));
at("vocab").addEventListener("change", event => change(withVocabulary(state, Number(event.target.value))));
at("claim").addEventListener("change", event => { location.hash = event.target.value || writeState({...state, claim: ""}); });
at("close").addEventListener("click", () => change({claim: ""}));
at("swap").addEventListener("click", () => change({p: state.q, q: state.p}));
at("again").addEventListener("click", () => { location.hash = START; });
at("random").addEventListener("click", () => {
  const drawn = () => shares(GRID, state.p.map(() => -Math.log(1 - Math.random())));
  change({p: drawn(), q: drawn()});
});
// A link to a part of the page is no state.
const partNamed = fragment => /^#[a-z]+$/.test(fragment) && document.querySelector(`section${fragment}`);
addEventListener("hashchange", () => {
  if (partNamed(location.hash)) return;
  load(location.hash);
  if (state.claim) at("main").scrollIntoView();
});
async function copy(words, done) {
  try { await navigator.clipboard.writeText(words); }
  catch {
    const box = make("textarea", {});
    box.value = words;
    document.body.append(box); box.select(); document.execCommand("copy"); box.remove();
  }
  at("copied").textContent = done;
  setTimeout(() => { at("copied").textContent = ""; }, 2000);
}
at("copy").addEventListener("click", () => copy(at("code").textContent, "Copied."));
at("link").addEventListener("click", () => copy(`${location.href.split("#")[0]}#${writeState(state)}`, "Copied."));
