// Fractions of whole numbers without limit: reduced, the denominator positive. Lists of them are laws and masses.
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
function fraction(n, d = 1n) {
  n = BigInt(n); d = BigInt(d);
  const g = (d < 0n ? -1n : 1n) * gcd(n, d);
  return {n: n / g, d: d / g};
}
const ZERO = fraction(0), ONE = fraction(1), TWO = fraction(2);
const add = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
const sub = (a, b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
const mul = (a, b) => fraction(a.n * b.n, a.d * b.d);
const div = (a, b) => fraction(a.n * b.d, a.d * b.n);
const less = (a, b) => a.n * b.d < b.n * a.d;
const same = (a, b) => a.n === b.n && a.d === b.d;
const least = (a, b) => less(b, a) ? b : a;
const most = (a, b) => less(a, b) ? b : a;
const sum = list => list.reduce(add, ZERO);
const absolute = a => a.n < 0n ? sub(ZERO, a) : a;
const floor = a => fraction(a.n / a.d - (a.n % a.d < 0n ? 1n : 0n));
const order = (a, b) => less(a, b) ? -1 : less(b, a) ? 1 : 0;
const value = a => Number(a.n * 10n ** 18n / a.d) / 1e18;
const text = a => a.d === 1n ? `${a.n}` : `${a.n}/${a.d}`;
function decimal(a) {
  const x = value(a);
  return x === 0 ? "0" : String(Number(x.toPrecision(4)));
}
// "3/4", "0.75" and "2" as fractions; null for anything else.
function parsed(word) {
  const parts = /^\s*(-?\d{1,12})(?:\.(\d{1,12}))?(?:\s*\/\s*(\d{1,12}))?\s*$/.exec(word);
  if (!parts || (parts[2] && parts[3]) || (parts[3] && BigInt(parts[3]) === 0n)) return null;
  const places = parts[2] || "";
  return fraction(BigInt(parts[1] + places), parts[3] ? BigInt(parts[3]) : 10n ** BigInt(places.length));
}
// The fraction that a floating-point number is.
function exactly(x) {
  let d = 1n;
  while (!Number.isInteger(x)) { x *= 2; d *= 2n; }
  return fraction(BigInt(x), d);
}
