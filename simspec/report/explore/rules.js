// The rules: each makes, from its parameters, the three maps of a method. p is the target's law, d the law drafted from.
class Refused extends Error {}

const total = sum;
function normalise(masses, otherwise) {
  const mass = total(masses);
  return mass.n === 0n ? otherwise : masses.map(x => div(x, mass));
}
const uniformOn = mask => normalise(mask.map(flag => flag ? ONE : ZERO));
function restrict(q, mask) {
  if (!mask.some(Boolean)) throw new Refused("At least one token must be shared.");
  return normalise(q.map((x, i) => mask[i] ? x : ZERO), uniformOn(mask));
}
const both = (p, d) => p.map((x, i) => least(x, d[i]));
const leftover = (p, k) => normalise(p.map((x, i) => sub(x, k[i])), p);

const SD = {propose: q => q, keep: both, residual: (p, d) => leftover(p, both(p, d))};
const keeping = keep => ({...SD, keep});
const drafting = propose => ({...SD, propose});

const ears = (beta, uncertainty) => keeping((p, d) => {
  const t = mul(beta, uncertainty(p));
  return d.map((y, i) => least(y, add(p[i], mul(t, y))));
});

// p_x > δ exp(−H(p)), decided on whole numbers: with p = n/N both sides are raised to the power N.
function aboveEntropy(p, delta) {
  const N = p.reduce((l, x) => l / gcd(l, x.d) * x.d, 1n), counts = p.map(x => x.n * (N / x.d));
  const right = counts.reduce((product, n) => n ? product * n ** n : product, delta.n ** N);
  return counts.map(n => { const left = (n * delta.d) ** N; return left > right ? 1 : left < right ? -1 : 0; });
}
function typical({epsilon, delta}) {
  const limit = exactly(Number(epsilon.n) / Number(epsilon.d));  // the package rounds this limit to a float
  const verdicts = p => aboveEntropy(p, delta).map((side, i) => less(limit, p[i]) ? 1 : side);
  return {...keeping((p, d) => verdicts(p).map((side, i) => side > 0 ? d[i] : ZERO)),
    tie: p => verdicts(p).includes(0)};
}

function pad({flags, limit, guardrail}) {
  return keeping((p, d) => p.map((x, i) => {
    const guarded = less(x, limit);
    if (guarded && guardrail === "every") return ZERO;
    return flags[i] || guarded ? least(x, d[i]) : d[i];
  }));
}

function restricted({shared}) {
  if (!shared.some(Boolean)) throw new Refused("At least one token must be shared.");
  const keep = (p, d) => p.map((x, i) => shared[i] ? least(x, d[i]) : ZERO);
  return {propose: q => q, keep, residual: (p, d) => leftover(p, keep(p, d))};
}

const tli = ({shared}) => drafting(q => restrict(q, shared));
function unigram({shared, prior, mix}) {
  const tail = prior.map((x, i) => shared[i] ? ZERO : x);
  if (total(tail).n === 0n) return tli({shared});
  const outside = normalise(tail);
  return drafting(q => restrict(q, shared).map((x, i) => add(mul(sub(ONE, mix), x), mul(mix, outside[i]))));
}

// The best masses on pruned tokens for one context: the smallest weight at which more would cost as much as it gains.
function bestExtra(p, q, shared) {
  const drafted = restrict(q, shared), outside = p.map((x, i) => shared[i] ? ZERO : x), mass = total(outside);
  const free = drafted.map((x, i) => x.n ? sub(ONE, div(p[i], x)) : ZERO);  // weight up to which token i is not missed
  const stops = [ZERO, mass, ...free].filter(x => !less(x, ZERO) && !less(ONE, x)).sort(order);
  const cost = stop => total(drafted.filter((_, i) => !less(stop, free[i])));
  const weight = stops.find(stop => !less(stop, mass) || !less(cost(stop), ONE)) || stops[stops.length - 1];
  return less(weight, mass) ? outside.map(x => div(mul(weight, x), mass)) : outside;
}
function staticMixture({shared}, p, q) {
  const extra = bestExtra(p, q, shared), rest = sub(ONE, total(extra));
  return drafting(draft => restrict(draft, shared).map((x, i) => add(mul(rest, x), extra[i])));
}

const moved = (shared, affinity) => drafting(q => affinity(restrict(q, shared)));
const rdk = ({shared, affinity}) => moved(shared, v => v.map((_, j) => total(v.map((x, i) => mul(x, affinity[i][j])))));
function affine({shared, prior, strength}) {
  const V = fraction(prior.length);
  return moved(shared, v => v.map((_, j) => {
    const mass = div(add(ONE, mul(strength, sub(prior[j], div(ONE, V)))), V);
    if (mass.n < 0n) throw new Refused(`The affine form is no law here: token ${j} would get ${text(mass)}.`);
    return mass;
  }));
}
const normalisedForm = ({shared, prior, strength}) => moved(shared, v => v.map((_, j) =>
  div(add(ONE, mul(strength, prior[j])), add(fraction(prior.length), strength))));

const ranked = masses => masses.map((_, i) => i).sort((i, j) => order(masses[j], masses[i]) || i - j);
const topMask = (q, k) => { const first = ranked(q).slice(0, k); return q.map((_, i) => first.includes(i)); };
// Largest remainders: round each mass to the lattice, then give to (take from) those rounded down (up) most.
function quantised(q, mask, resolution) {
  const scaled = normalise(q.map((x, i) => mask[i] ? x : ZERO)).map(x => mul(fraction(resolution), x));
  const counts = scaled.map(x => floor(add(x, div(ONE, TWO))));
  const excess = Number(sub(total(counts), fraction(resolution)).n), sign = excess > 0 ? -1 : 1;
  const error = counts.map((b, i) => mul(fraction(sign), sub(b, scaled[i])));
  const inside = counts.map((_, i) => i).filter(i => mask[i]).sort((i, j) => order(error[i], error[j]) || i - j);
  for (const i of inside.slice(0, Math.abs(excess))) counts[i] = add(counts[i], fraction(sign));
  return counts.map(b => div(b, fraction(resolution)));
}
const sqs = ({k, resolution}) => drafting(q => quantised(q, topMask(q, k), resolution));
const dense = ({resolution}) => drafting(q => quantised(q, q.map(() => true), resolution));
const csqs = ({threshold, resolution}) => drafting(q => {
  const mask = q.map(x => !less(x, threshold));
  return quantised(q, mask.some(Boolean) ? mask : topMask(q, 1), resolution);
});

const METHODS = {
  sd: () => SD,
  lenience: ({factor}) => keeping((p, d) => d.map((y, i) => least(y, div(p[i], factor)))),
  mixture: ({weight}) => keeping((p, d) => d.map((y, i) => least(y, add(mul(sub(ONE, weight), p[i]), mul(weight, y))))),
  typical,
  ears: ({beta}) => ears(beta, p => sub(ONE, p.reduce(most))),
  "ears-variance": ({beta}) => ears(beta, p => sub(ONE, total(p.map(x => mul(x, x))))),
  "ears-constant": ({beta}) => ears(beta, () => ONE),
  pad,
  strict: ({flags}) => ({...keeping((p, d) => d.map((y, i) => flags[i] ? ZERO : y)), residual: p => p}),
  tli, restricted, unigram, static: staticMixture, rdk, "rdk-affine": affine, "rdk-normalised": normalisedForm,
  sqs, csqs, dense,
  uniform: () => drafting(q => uniformOn(q.map(() => true))),
};

// How high p fills up the kept mass k: max(k, a p) sums to one.
function waterLevel(p, k) {
  const ratio = p.map((x, i) => x.n ? div(k[i], x) : null);
  const rank = p.map((_, i) => i).filter(i => ratio[i]).sort((i, j) => order(ratio[i], ratio[j]));
  let mass = ZERO, held = sub(ONE, total(k)), level = ONE;
  for (const i of rank) {
    mass = add(mass, p[i]); held = add(held, k[i]);
    level = least(level, most(div(held, mass), ZERO));
  }
  return level;
}
const RESIDUALS = {
  own: method => method,
  fresh: method => ({...method, residual: p => p}),
  levelled: method => ({...method, residual: (p, d) => {
    const k = method.keep(p, d), level = waterLevel(p, k);
    return normalise(p.map((x, i) => most(sub(mul(level, x), k[i]), ZERO)), p);
  }}),
};

// All that follows from one step: what is drafted, kept, put in its place, and comes out.
function verified(rule, residual, args, p, q, gamma) {
  const method = RESIDUALS[residual](METHODS[rule](args, p, q));
  const d = method.propose(q), k = method.keep(p, d), r = method.residual(p, d);
  const alpha = total(k), rejected = sub(ONE, alpha), replaced = r.map(x => mul(rejected, x));
  const o = k.map((x, i) => add(x, replaced[i]));
  const bias = div(total(o.map((x, i) => absolute(sub(x, p[i])))), TWO);
  let length = ONE;
  for (let i = 0; i < gamma; i++) length = add(ONE, mul(alpha, length));
  return {p, q, d, k, r, replaced, o, alpha, bias, length, overlap: total(both(p, d)), sd: total(both(p, q)),
    tie: Boolean(method.tie && method.tie(p))};
}
