/**
 * `multipleOf` on the decimals that were written, not on their doubles: 0.0075 is a multiple of 0.0001. Shortest
 * round-trip text has at most 17 digits and an exponent of at most 324, so the integers stay small.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const left = decimal(value);
  const right = decimal(divisor);
  const exponent = Math.min(left.exponent, right.exponent);
  return scaled(left, exponent) % scaled(right, exponent) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scaled(number: Decimal, exponent: number): bigint {
  return number.digits * 10n ** BigInt(number.exponent - exponent);
}
