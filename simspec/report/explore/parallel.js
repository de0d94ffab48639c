// Drafters that draw two positions without seeing one another: `first` is the target's law of the first token, row x of
// `rows` its law of the second after x; `draft` is one law of the second token for all x.

const marginalOf = (first, rows) => rows[0].map((_, y) => total(first.map((a, x) => mul(a, rows[x][y]))));
// Rows between the marginal (0) and themselves (1): the marginal stays.
function dependent(first, rows, dependence) {
  const common = marginalOf(first, rows);
  return rows.map(row => between(common, row, dependence));
}
const productAcceptance = (first, rows, draft) => total(first.map((a, x) => mul(a, total(both(rows[x], draft)))));

// Acceptance is piecewise linear in the mass of a token, and concave: the slopes of its pieces, with their lengths.
function piecesOf(first, rows, token) {
  const masses = rows.filter((row, x) => row[token].n && first[x].n).map(row => row[token]).sort(order);
  let before = ZERO;
  return masses.filter((mass, n) => !n || !same(mass, masses[n - 1])).map(mass => {
    const piece = {token, slope: total(first.filter((_, x) => !less(rows[x][token], mass))), length: sub(mass, before)};
    before = mass;
    return piece;
  });
}
// The law that is accepted most often, and the slope of the last piece that it takes: pieces by falling slope until the mass is one.
function bestDraft(first, rows) {
  const pieces = rows[0].flatMap((_, token) => piecesOf(first, rows, token)).sort((a, b) => order(b.slope, a.slope));
  const draft = rows[0].map(() => ZERO);
  let rest = ONE, level = ZERO;
  for (const {token, slope, length} of pieces) {
    if (rest.n === 0n) break;
    const taken = least(length, rest);
    draft[token] = add(draft[token], taken);
    rest = sub(rest, taken);
    level = slope;
  }
  return {draft, level};
}

// For each token the chance that the target has more of it than the draft, and that it has no less; and how much more,
// at most, another law could be accepted: 0 certifies that none is better.
function certifiedDraft(first, rows, draft) {
  const chance = holds => draft.map((mass, y) => total(first.filter((_, x) => holds(rows[x][y], mass))));
  const more = chance((x, mass) => less(mass, x)), noLess = chance((x, mass) => !less(x, mass));
  const gap = most(sub(more.reduce(most), noLess.filter((_, y) => draft[y].n).reduce(least)), ZERO);
  return {draft, more, noLess, gap, acceptance: productAcceptance(first, rows, draft)};
}
function parallelOf(first, rows) {
  const best = bestDraft(first, rows);
  return {first, rows, level: best.level, marginal: certifiedDraft(first, rows, marginalOf(first, rows)),
    best: certifiedDraft(first, rows, best.draft)};
}
