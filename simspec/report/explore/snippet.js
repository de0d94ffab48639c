// The Python that gives what is shown.
const pythonFraction = x => x.d === 1n ? `F(${x.n})` : `F(${x.n}, ${x.d})`;
const pythonLaw = list => `exact([${list.map(pythonFraction).join(", ")}])`;
const PYTHON = {
  number: pythonFraction,
  whole: String,
  tokens: flags => `np.array([${flags.map(flag => flag ? "True" : "False").join(", ")}])`,
  choice: word => `"${word}"`,
  matrix: rows => `exact([\n    ${rows.map(row => `[${law(row).map(pythonFraction).join(", ")}]`).join(",\n    ")},\n])`,
};

// Lines that begin a program: both laws of the state.
const lawLines = state => [`p = ${pythonLaw(law(state.p))}  # the target's law`, `q = ${pythonLaw(law(state.q))}  # the draft's law`];

function pythonRule(state) {
  const V = state.p.length, {python} = DATA.rules[state.rule];
  const made = python.replace(/\{(\w+)\}/g, (_, name) => name !== "prior" ? PYTHON[DATA.dials[name].kind](state.args[name])
    : state.args.prior === "target" ? "p" : pythonLaw(PRIORS[state.args.prior](V)));
  return {own: made, fresh: `replace(${made}, residual=fresh)`, levelled: `levelled(${made})`}[state.args.residual];
}
function snippet(state) {
  const rule = pythonRule(state);
  const known = ["SD", "affine", "csqs", "dense", "dense_sqs", "ears", "fresh", "lenience", "levelled", "mixture", "normalised",
    "pad", "rdk", "restricted", "sqs", "static", "static_mixture", "strict", "tli", "typical", "uniform", "unigram_mixture",
    "variance"].filter(name => new RegExp(`(^|[^\\w"])${name}\\b`).test(rule));
  return [
    ...(rule.startsWith("replace(") ? ["from dataclasses import replace"] : []),
    "from fractions import Fraction as F",
    "",
    ...(rule.includes("np.") ? ["import numpy as np", ""] : []),
    "from simspec.laws import exact",
    "from simspec.methods import acceptance_rate, tv, mean_acceptance_length, is_lossless, accepted_mass, output_law",
    `from simspec.methods import ${known.join(", ")}`,
    "",
    ...lawLines(state),
    `rule = ${rule}`,
    "",
    "d = rule.propose(q)",
    "alpha = acceptance_rate(rule, p, q)",
    'print("drafted", *d)',
    'print("kept", *accepted_mass(rule, p, q))',
    'print("after a rejection", *rule.residual(p, d))',
    'print("comes out", *output_law(rule, p, q))',
    'print("acceptance", alpha)',
    'print("bias", tv(rule, p, q))',
    'print("lossless", is_lossless(rule, p, q))',
    `print("tokens per pass", mean_acceptance_length(alpha, ${state.args.gamma}))`,
    "",
  ].join("\n");
}

function greedySnippet(state) {
  const {dial, python} = DATA.criteria[state.args.criterion];
  const rejects = python.replace(`{${dial}}`, PYTHON[DATA.dials[dial].kind](state.args[dial]));
  return [
    "from fractions import Fraction as F",
    "",
    "import numpy as np",
    "",
    "from simspec.laws import exact",
    `from simspec.certificates import kl_divergence, kl_radius, ${rejects.split("(")[0]}, tv_radius`,
    "",
    ...lawLines(state),
    `rejected = ${rejects}`,
    "",
    'print("total variation", abs(p - q).sum() / 2, "radius", tv_radius(p, rejected))',
    "P, Q = p.astype(float), q.astype(float)",
    'print("divergence", kl_divergence(P, Q), "radius", kl_radius(P, rejected))',
    'print("drafted", q.argmax(), "accepted", not rejected[q.argmax()])',
    "",
  ].join("\n");
}
function parallelSnippet(state) {
  return [
    "from fractions import Fraction as F",
    "",
    "import numpy as np",
    "",
    "from simspec.laws import exact",
    "from simspec.methods.parallel import best_draft, marginal, optimality_gap, product_acceptance",
    "",
    `first = ${pythonLaw(law(state.first))}  # the target's law of the first token`,
    `own = ${PYTHON.matrix(state.rows)}  # its laws of the second token`,
    `dependence = ${pythonFraction(state.args.dependence)}`,
    "rows = dependence * own + (1 - dependence) * marginal(first, own)",
    "",
    "best = best_draft(first, rows)",
    'for name, draft in (("marginal", marginal(first, rows)), ("best", best.law)):',
    "    print(name, *draft)",
    '    print("accepted of two", 1 + product_acceptance(first, rows, draft), "gap", optimality_gap(first, rows, draft))',
    'print("level", best.level)',
    "",
  ].join("\n");
}

// For tests and for the curious: what an address shows, as words.
function explore(fragment) {
  const state = readState(fragment), shown = {address: writeState(state), snippet: snippet(state)};
  try {
    const step = stepOf(state), words = list => list.map(text);
    return {...shown, p: words(step.p), q: words(step.q), drafted: words(step.d), kept: words(step.k),
      "after a rejection": words(step.r), "comes out": words(step.o), acceptance: text(step.alpha), bias: text(step.bias),
      lossless: step.bias.n === 0n, "tokens per pass": text(step.length), tie: step.tie};
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return {...shown, refused: error.message};
  }
}
const floating = x => x === Infinity ? "inf" : x;
function exploreGreedy(fragment) {
  const state = readState(fragment), c = certificateIn(state), {ways, end} = wayOf(c), masses = list => list.map(text);
  return {address: writeState(state), snippet: greedySnippet(state), p: masses(c.p), q: masses(c.q), rejected: c.rejected, margin: text(c.margin),
    nearest: c.failing && masses(c.failing.law), tv: text(c.tv), tvRadius: c.failing ? text(c.tvRadius) : "inf", kl: floating(c.kl),
    klRadius: floating(c.klRadius), certifiedTv: c.certifiedTv, certifiedKl: c.certifiedKl, drafted: c.drafted, accepted: c.accepted,
    words: greedyWords(c), end, ways: ways.map(({from, to, token}) => [text(from), text(to), token])};
}
function exploreParallel(fragment) {
  const state = readState(fragment), {first, rows, level, marginal, best} = parallelIn(state), masses = list => list.map(text);
  const drafted = ({draft, more, noLess, gap, acceptance}) => ({law: masses(draft), more: masses(more), noLess: masses(noLess),
    gap: text(gap), acceptance: text(acceptance), accepted: text(add(ONE, acceptance))});
  return {address: writeState(state), snippet: parallelSnippet(state), first: masses(first), rows: rows.map(masses), level: text(level),
    marginal: drafted(marginal), best: drafted(best)};
}
Object.assign(globalThis, {explore, exploreGreedy, exploreParallel});
