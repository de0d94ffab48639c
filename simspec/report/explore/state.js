// The state: what is shown, in whole numbers and words, and how an address writes it. Nothing here touches the page.
const DATA = JSON.parse(document.getElementById("data").textContent);
const GRID = 60, FINEST = 10000, LARGEST = 8;
const START = "rule=sd&p=6,3,2,1&q=3,5,1,3";
const LARGEST_JOINT = 4, FIRST = "5,4,3", ROWS = "10,1,1;1,9,2;2,3,7";

const lowered = weights => { const g = Number(weights.reduce((g, w) => gcd(g, BigInt(w)), 0n)) || 1; return weights.map(w => w / g); };
const size = weights => weights.reduce((a, b) => a + b, 0);
// Weights on the coarsest grid of at least 60 parts that holds them.
function gridded(weights) {
  const low = lowered(weights), times = Math.max(1, Math.ceil(GRID / size(low)));
  return low.map(w => w * times);
}
const law = weights => weights.map(w => fraction(w, size(weights)));
// Shares of a whole in proportion to weights, by largest remainders; equal shares where no weight is positive.
function shares(whole, weights) {
  const all = size(weights), parts = all ? weights : weights.map(() => 1), mass = all || parts.length;
  const given = parts.map(w => Math.floor(whole * w / mass));
  const rest = parts.map((w, i) => [whole * w % mass, -i]).sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  rest.slice(0, whole - size(given)).forEach(([, i]) => { given[-i] += 1; });
  return given;
}
// One weight set to a value, the others scaled so that the sum stays: from `base`, so that going back comes back.
function withWeight(base, at, wanted) {
  const sum = size(base), set = Math.min(Math.max(wanted, 0), sum);
  const others = shares(sum - set, base.filter((_, i) => i !== at));
  return base.map((_, i) => i === at ? set : others[i < at ? i : i - 1]);
}
// Laws of another vocabulary: new tokens have no mass, the mass of dropped ones goes to the rest.
const resized = (weights, V) => V >= weights.length ? [...weights, ...Array(V - weights.length).fill(0)]
  : shares(size(weights), weights.slice(0, V));

function weightsOf(word, largest = LARGEST) {
  const weights = (word || "").split(",").map(Number);
  const fits = weights.length >= 2 && weights.length <= largest && weights.every(w => Number.isInteger(w) && w >= 0);
  return fits && size(weights) > 0 && size(lowered(weights)) <= FINEST ? gridded(weights) : null;
}
// What was typed into a box: fractions, decimals or weights, separated by spaces or commas, scaled to sum to one.
function typed(line, V) {
  const parts = line.trim().split(/[\s,;]+/).map(parsed);
  if (parts.length !== V || parts.some(x => !x || x.n < 0n) || sum(parts).n === 0n) return null;
  const all = parts.reduce((l, x) => l / gcd(l, x.d) * x.d, 1n);
  const weights = parts.map(x => x.n * (all / x.d)), g = weights.reduce(gcd);
  return weights.reduce((a, b) => a + b) / g > BigInt(FINEST) ? null : gridded(weights.map(w => Number(w / g)));
}

const falling = V => normalise(Array.from({length: V}, (_, i) => fraction(1, i + 1)));
const PRIORS = {falling, uniform: V => Array(V).fill(fraction(1, V)), target: (_, p) => p};
const next = V => Array.from({length: V}, (_, i) => Array.from({length: V}, (_, j) => Number(j === i || j === (i + 1) % V)));
const identity = V => Array.from({length: V}, (_, i) => Array.from({length: V}, (_, j) => Number(i === j)));
const everywhere = V => Array.from({length: V}, () => Array(V).fill(1));
const AFFINITIES = {next, identity, everywhere};

// Each kind of parameter: what an unreadable word stands for, and from a word to the value that the rules take.
const KINDS = {
  number: {
    read(word, dial) {
      const x = parsed(word || "") || parsed(dial.default);
      return least(most(x, parsed(dial.low)), parsed(dial.high));
    },
    write: text,
  },
  whole: {
    read(word, dial, V, name) {
      const top = name === "k" ? Math.min(V, Number(dial.high)) : Number(dial.high);
      const n = /^\d{1,3}$/.test(word || "") ? Number(word) : Number(dial.default);
      return Math.min(Math.max(n, Number(dial.low)), top);
    },
    write: String,
  },
  tokens: {
    read: (word, dial, V) => Array.from({length: V}, (_, i) =>
      /^[01]+$/.test(word || "") ? word[i] === "1" : (i === V - 1) === (dial.default === "last")),
    write: flags => flags.map(Number).join(""),
  },
  choice: {
    read: (word, dial) => dial.options.some(([key]) => key === word) ? word : dial.default,
    write: String,
  },
  matrix: {
    read(word, dial, V) {
      const rows = (word || "").split(";").map(row => row.split(",").map(Number));
      const fits = rows.length === V && rows.every(row => row.length === V && size(row) > 0 && size(row) <= FINEST
        && row.every(w => Number.isInteger(w) && w >= 0));
      return fits ? rows : AFFINITIES[dial.default](V);
    },
    write: rows => rows.map(row => row.join(",")).join(";"),
  },
};
const shownDials = state => [...DATA.rules[state.rule].dials, "residual", "gamma"];
const draftDials = state => ["criterion", DATA.criteria[state.args.criterion].dial, "dependence"];

// The joint law of two positions: a law of the first token, and one of the second after each.
function readJoint(given) {
  const first = weightsOf(given.get("first"), LARGEST_JOINT), rows = (given.get("rows") || "").split(";").map(row => weightsOf(row));
  const fits = first && rows.length === first.length && rows.every(row => row && row.length === first.length);
  return fits ? {first, rows} : {first: weightsOf(FIRST), rows: ROWS.split(";").map(row => weightsOf(row))};
}
function writeJoint({first, rows}) {
  const words = [lowered(first).join(","), rows.map(row => lowered(row).join(",")).join(";")];
  return words[0] === FIRST && words[1] === ROWS ? [] : [`first=${words[0]}`, `rows=${words[1]}`];
}

function readState(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, "")), start = new URLSearchParams(START);
  let p = weightsOf(given.get("p")), q = weightsOf(given.get("q"));
  if (p && q && p.length !== q.length) q = null;
  if (!p && !q) [p, q] = ["p", "q"].map(name => weightsOf(start.get(name)));
  p = p || [...q]; q = q || [...p];
  const one = (name, known, otherwise) => Object.hasOwn(known, given.get(name)) ? given.get(name) : otherwise;
  const rule = one("rule", DATA.rules, "sd"), args = {};
  for (const [name, dial] of Object.entries(DATA.dials)) args[name] = KINDS[dial.kind].read(given.get(name), dial, p.length, name);
  return {rule, p, q, args, claim: one("claim", DATA.looks, ""), ...readJoint(given)};
}
function writeState(state, rule = state.rule) {
  const V = state.p.length, words = [];
  if (state.claim && rule === state.rule) words.push(`claim=${state.claim}`);
  words.push(`rule=${rule}`, ...["p", "q"].map(name => `${name}=${lowered(state[name]).join(",")}`));
  for (const name of [...shownDials({rule}), ...draftDials(state)]) {
    const dial = DATA.dials[name], kind = KINDS[dial.kind], word = kind.write(state.args[name]);
    if (word !== kind.write(kind.read(null, dial, V, name))) words.push(`${name}=${word}`);
  }
  return [...words, ...writeJoint(state)].join("&");
}
function withVocabulary(state, V) {
  const args = {...state.args};
  for (const [name, dial] of Object.entries(DATA.dials)) {
    if (dial.kind === "tokens") args[name] = Array.from({length: V}, (_, i) => i < args[name].length ? args[name][i] : name === "shared");
    if (dial.kind === "whole") args[name] = KINDS.whole.read(String(args[name]), dial, V, name);
    if (dial.kind === "matrix") args[name] = KINDS.matrix.read(null, dial, V);
  }
  if (!args.shared.some(Boolean)) args.shared[0] = true;
  return {...state, p: resized(state.p, V), q: resized(state.q, V), args};
}

function stepOf(state, rule = state.rule) {
  const p = law(state.p), q = law(state.q), V = p.length, {args} = state;
  const given = {...args, prior: PRIORS[args.prior](V, p), affinity: args.affinity.map(law)};
  return verified(rule, args.residual, given, p, q, args.gamma);
}

const certificateIn = ({p, q, args}) => certificateOf(law(p), law(q), args);
function parallelIn({first, rows, args}, dependence = args.dependence) {
  const a = law(first);
  return parallelOf(a, dependent(a, rows.map(law), dependence));
}
// A joint law of another vocabulary: new tokens have no mass, and after a new one comes the same token.
function withJointVocabulary({first, rows}, V) {
  const after = x => x < rows.length ? resized(rows[x], V) : Array.from({length: V}, (_, y) => y === x ? GRID : 0);
  return {first: resized(first, V), rows: Array.from({length: V}, (_, x) => after(x))};
}
