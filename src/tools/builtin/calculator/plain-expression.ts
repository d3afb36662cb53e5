/** An expression as people and models write it, in the signs that the parser knows: `３×√16`, `1,234.5 + 15% of 200`, `2的3次方`. */
export function plainExpression(text: string): string {
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
    withoutThousands(plain).replace(/(\d+(?:\.\d+)?)\s*([万亿])/g, (_, number: string, unit: string) =>
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
function withoutThousands(text: string): string {
  const separates: boolean[] = [];
  let plain = "";
  for (const [index, character] of [...text].entries()) {
    if (character === "(") separates.push(/[a-z\d]\s*$/i.test(plain) && /[a-z]\w*\s*$/i.test(plain));
    else if (character === "[") separates.push(true);
    else if (character === ")" || character === "]") separates.pop();
    const isThousands =
      character === "," &&
      separates.at(-1) !== true &&
      /(^|\D)\d{1,3}(,\d{3})*$/.test([...text].slice(Math.max(0, index - 40), index).join("")) &&
      /^\d{3}(?!\d)/.test([...text].slice(index + 1, index + 5).join(""));
    if (!isThousands) plain += character;
  }
  return plain;
}

/** Integers that a double does not hold, in parts that it does; the parser reads numbers as doubles. */
function splitLong(text: string): string {
  return text.replace(/(?<![\d.a-z_])\d{16,}(?![\d.a-z_])/gi, split);
}

function split(digits: string): string {
  if (digits.length <= 15) return String(Number(digits));
  return `(${split(digits.slice(0, -15))}*10^15+${split(digits.slice(-15))})`;
}
