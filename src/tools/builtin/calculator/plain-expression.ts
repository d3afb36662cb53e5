import { expressionError } from "./expression-error.ts";

/**
 * An expression as people and models write it, in the signs that the parser knows: `3×√16`, `1,234.5 + 15% of 200`, `2的3次方`.
 * Throws where a comma could stand between thousands or between the arguments of a function that takes many.
 */
export function normalizeExpression(text: string, takesMany: (name: string) => boolean): string {
  const plain = withPowers(text)
    .normalize("NFKC")
    .replace(/(=\s*\??|\?|等于(多少|几)?|是多少)\s*$/, "")
    .replace(/[×∙·⋅]|乘以?/g, "*")
    .replace(/÷|除以/g, "/")
    .replace(/[−–]|减去?/g, "-")
    .replace(/加上?/g, "+")
    .replaceAll("**", "^")
    .replaceAll("⁄", "/")
    .replace(/的平方/g, "^2")
    .replace(/的立方/g, "^3")
    .replace(/(\d)的(\d+)次方/g, "$1^$2")
    .replace(/%\s*of\b|的(?=\d+(\.\d+)?%)/g, (found) => (found.startsWith("%") ? "% *" : "*"))
    .replace(/[¥$€£](?=\s*[\d.])/g, "")
    .replace(/(?<=\d)_(?=\d)/g, "")
    .replaceAll("°", " deg ")
    .replace(/\|([^|]+)\|/g, "abs($1)")
    .replace(/([√∛])\s*(\(|\d+(?:\.\d+)?|[a-zπ]+)/giu, (_, sign: string, of: string) => {
      const name = sign === "√" ? "sqrt" : "cbrt";
      return of === "(" ? ` ${name}(` : ` ${name}(${of})`;
    });
  return splitLong(
    withoutThousands(plain, takesMany).replace(/(\d+(?:\.\d+)?)\s*([万亿])/g, (_, number: string, unit: string) =>
      unit === "万" ? `(${number}*10^4)` : `(${number}*10^8)`,
    ),
  );
}

/** `3²` is `3^(2)` and `1½` is one and a half: read before they become plain digits. */
function withPowers(text: string): string {
  return text
    .replace(/[⁺⁻⁰¹²³⁴-⁹]+/g, (power) => `^(${power.normalize("NFKC").replaceAll("−", "-")})`)
    .replace(/(\d*)\s*([¼-¾⅐-⅞])/g, (_, whole: string, part: string) => {
      const fraction = part.normalize("NFKC").replace("⁄", "/");
      return whole === "" ? `(${fraction})` : `(${whole}+${fraction})`;
    });
}

/** Takes the commas out of `1,234,567`, but not out of the arguments of a function or a list, where they separate. */
function withoutThousands(text: string, takesMany: (name: string) => boolean): string {
  // The function of each open bracket, "[" for a list, "" where it only groups.
  const open: string[] = [];
  const characters = [...text];
  let plain = "";
  for (const [index, character] of characters.entries()) {
    if (character === "(") open.push(/[a-z]\w*(?=\s*$)/i.exec(plain)?.[0] ?? "");
    else if (character === "[") open.push("[");
    else if (character === ")" || character === "]") open.pop();
    const within = open.at(-1) ?? "";
    const isThousands = character === "," && groups(characters, index);
    if (isThousands && takesMany(within)) throw unclearComma(within);
    if (!isThousands || within !== "") plain += character;
  }
  return plain;
}

/** Whether a comma stands as one between thousands does. */
function groups(characters: readonly string[], index: number): boolean {
  const before = characters.slice(Math.max(0, index - 40), index).join("");
  const after = characters.slice(index + 1, index + 5).join("");
  return /(^|[^\d.])\d{1,3}(,\d{3})*$/.test(before) && /^\d{3}(?!\d)/.test(after);
}

function unclearComma(name: string): Error {
  return expressionError(
    `${name}(…) 里的逗号可能分隔千位，也可能分隔参数：参数写成 1, 234，千位写成 1234`,
    `a comma in ${name}(...) could stand between thousands or arguments: write 1, 234 for two arguments, 1234 for one number`,
  );
}

/** Numbers that a double does not hold, as whole numbers that it does; the parser reads numbers as doubles. */
function splitLong(text: string): string {
  return text.replace(/(?<![\d.a-z_])(\d+)(?:\.(\d+))?(?![\d.a-z_])/gi, (found, whole: string, part = "") => {
    if (found.replace(/\D/g, "").length <= 15) return found;
    return part === "" ? split(whole) : `(${split(whole + part)}/10^${part.length})`;
  });
}

function split(digits: string): string {
  if (digits.length <= 15) return String(Number(digits));
  return `(${split(digits.slice(0, -15))}*10^15+${split(digits.slice(-15))})`;
}
