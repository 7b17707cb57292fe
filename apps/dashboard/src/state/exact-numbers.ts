const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/**
 * Why a JSON text can not be sent as it is: a number in it has more digits than the numbers of JavaScript keep, which is what a tool gets, so another one
 * would arrive. Null: all arrive as they are.
 */
export function roundingProblem(json: string): string | null {
  const rounded = json
    .match(STRINGS_AND_NUMBERS)
    ?.find((token) => !token.startsWith('"') && canonical(token) !== canonical(`${Number(token)}`));
  return rounded === undefined
    ? null
    : `${rounded} has too many digits: ${Number(rounded)} would arrive. Write that, or a text if the tool takes one.`;
}

/** The same for all ways to write one number. */
function canonical(text: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] = NUMBER.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === ''
    ? '0'
    : `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`;
}
