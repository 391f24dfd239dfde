/** The server and the panel both use this file. */
export const digitsOf = (text: string): string => text.replaceAll(/^\s*ISBN|[\s-]/gi, '')

/** The check digit: it makes the sum of all 13 digits, weighted 1 and 3 in turn, a multiple of ten. */
export function checkDigitOf(digits: string): string {
  const sum = Array.from(digits.slice(0, 12), Number).reduce((total, digit, at) => total + digit * (at % 2 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}
