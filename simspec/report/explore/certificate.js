// Certificates of greedy drafts: how near q must be to p for its likeliest token to be accepted for sure.

// Tokens of p that a criterion rejects.
const REJECTS = {
  likeliest: (p, {likeliest}) => topMask(p, likeliest).map(flag => !flag),
  additive: (p, {margin}) => p.map(x => less(x, sub(p.reduce(most), margin))),
  multiplicative: (p, {ratio}) => p.map(x => less(x, mul(ratio, p.reduce(most)))),
};

// The nearest law whose likeliest token is rejected: p with c on the likeliest rejected token b and on the tokens above c,
// c the mean of p over these. Null where nothing is rejected.
function nearestFailing(p, rejected) {
  const rank = ranked(p), b = rank.find(i => rejected[i]);
  if (b === undefined) return null;
  const members = [b];
  let mass = p[b];
  for (const i of rank.filter(i => i !== b)) {
    if (!less(mass, mul(fraction(members.length), p[i]))) break;
    members.push(i);
    mass = add(mass, p[i]);
  }
  const level = div(mass, fraction(members.length));
  return {token: b, level, law: p.map((x, i) => members.includes(i) ? level : x)};
}

const distance = (p, q) => div(total(p.map((x, i) => absolute(sub(x, q[i])))), TWO);
const misses = (p, q) => p.some((x, i) => x.n && !q[i].n);
// KL(p‖q) in nats, a floating-point number.
function divergence(p, q) {
  if (misses(p, q)) return Infinity;
  return Math.max(p.reduce((sum, x, i) => x.n ? sum + value(x) * Math.log(value(div(x, q[i]))) : sum, 0), 0);
}
// KL(p‖q) < KL(p‖other), decided on whole numbers: Π (q/other)^p > 1, both sides raised to the common denominator of p.
function nearer(p, q, other) {
  if (misses(p, q)) return false;
  const N = p.reduce((l, x) => l / gcd(l, x.d) * x.d, 1n);
  let left = 1n, right = 1n;
  p.forEach((x, i) => {
    const power = x.n * (N / x.d), factor = power ? div(q[i], other[i]) : ONE;
    left *= factor.n ** power;
    right *= factor.d ** power;
  });
  return left > right;
}

const between = (p, q, t) => p.map((x, i) => add(mul(sub(ONE, t), x), mul(t, q[i])));
// The way from p to q in stretches, {from, to, token}: the token that is drafted there, the first of equals.
function stretches(p, q) {
  const cuts = [ZERO, ONE];
  for (let i = 0; i < p.length; i++) {
    for (let j = 0; j < i; j++) {
      const before = sub(p[i], p[j]), after = sub(q[i], q[j]);
      if (before.n * after.n < 0n) cuts.push(div(before, sub(before, after)));
    }
  }
  const places = cuts.sort(order).filter((t, n) => !n || !same(t, cuts[n - 1])), ways = [];
  for (let n = 1; n < places.length; n++) {
    const [from, to] = [places[n - 1], places[n]], token = ranked(between(p, q, div(add(from, to), TWO)))[0];
    if (ways.length && ways[ways.length - 1].token === token) ways[ways.length - 1].to = to;
    else ways.push({from, to, token});
  }
  return ways;
}

// All that is shown of a pair under a criterion. A radius is null (TV) or Infinity (KL) where nothing is rejected.
function certificateOf(p, q, args) {
  const rejected = REJECTS[args.criterion](p, args), failing = nearestFailing(p, rejected), rank = ranked(p);
  const tv = distance(p, q), tvRadius = failing && distance(p, failing.law), drafted = ranked(q)[0];
  return {
    p, q, rejected, failing, tv, tvRadius, drafted, margin: sub(p[rank[0]], p[rank[1]]), accepted: !rejected[drafted],
    tied: q.filter(x => same(x, q[drafted])).length > 1,
    kl: divergence(p, q), klRadius: failing ? divergence(p, failing.law) : Infinity,
    certifiedTv: !failing || less(tv, tvRadius),
    certifiedKl: failing ? nearer(p, q, failing.law) : !misses(p, q),
  };
}
