import { isSecretName, maskSecret } from "../secrets/mask.ts";

/** Masks what reads like a token in a word of a command or in an address: `--token=…`, `//user:…@`, `?key=…`. */
export function maskWord(word: string): string {
  return word.replace(assigned, (whole: string, before: string, value: string) => {
    const [, name] = /([\w.-]+)=$/.exec(before) ?? [];
    return (name === undefined || isSecretName(name)) && isRandom(value, 16) ? before + maskSecret(value) : whole;
  });
}

const assigned = /((?:(?:^|[\s"'])--?|[?&])[\w.-]+=|:\/\/[^\s/:@"']*:)([\w+/=.~%-]{16,})(?=$|[\s"'&@#])/g;

/**
 * Returns a program and its arguments with the values of `--token VALUE` and `--token=VALUE` and the passwords of addresses masked.
 * What could be code stays: a script, and where a program gets its code or its package as an argument all but what no name
 * could be.
 */
export function maskArguments(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const option = words[index - 1] ?? "";
    const isValue = option.startsWith("-") && !option.includes("=") && isSecretName(option);
    if (isValue && isToken(word)) return maskSecret(word);
    if (index === 0 || isAfterCode(words, index)) return maskWord(word);
    if (isValue && isPlain(word) && isPackageNamed(words, index)) return maskSecret(word);
    return maskWord(maskInline(word));
  });
}

function maskInline(word: string): string {
  const [, head = "", name = "", value = ""] = /^(--?([\w.-]+)=)(.*)$/s.exec(word) ?? [];
  if (isSecretName(name) && isPlain(value)) return head + maskSecret(value);
  return word.replace(/(:\/\/[^\s/:@]*:)[^\s/@$`;|&<>(){}'"\\]+(?=@)/g, "$1…");
}

/** No package has such a name. */
function isToken(word: string): boolean {
  return isRandom(word, 20) && /[a-z]/.test(word) && /[A-Z]/.test(word);
}

/** Returns true for a value that no shell would run and that names no option, script or address. */
function isPlain(value: string): boolean {
  return (
    /^[^\s$`;|&<>(){}'"\\./~-][^\s$`;|&<>(){}'"\\]*$/.test(value) &&
    !value.includes("://") &&
    !/\.[a-z]{1,4}$/i.test(value)
  );
}

/** Returns true where the word comes after an option whose value is code: `sh -c`, `node -e`, `cmd /c`. */
function isAfterCode(words: readonly string[], index: number): boolean {
  const [program = "", ...others] = words.slice(0, index);
  // Containers get their variables by `-e`.
  const option = /^(?:docker|podman|nerdctl)$/.test(getProgramName(program)) ? containerCode : code;
  return others.some((word) => option.test(word));
}

const code = /^(?:-[a-z]*[cer]|-p|--(?:eval|print|call)|--?[a-z]*command|\/[ck])$/i;
const containerCode = /^-[a-z]*c$/i;

/** A runner of packages takes an option that it does not know for a switch, and the word after it for the package. */
function isPackageNamed(words: readonly string[], index: number): boolean {
  const runner = words.slice(0, index).findLastIndex((word) => runners.test(getProgramName(word)));
  return (
    runner < 0 ||
    words.slice(runner + 1, index).some((word, at) => {
      const before = words[runner + at] ?? "";
      const isValue = at > 0 && before.startsWith("-") && !/^(?:-y|--yes|-q|--quiet|--silent|--)$/.test(before);
      return !isValue && !word.startsWith("-") && !/^(?:exec|x|dlx|run|create)$/.test(word);
    })
  );
}

const runners = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx)$/;

function getProgramName(word: string): string {
  return word
    .toLowerCase()
    .replace(/^.*[/\\]/, "")
    .replace(/\.(?:cmd|exe)$/, "");
}

/** Returns true for a text that nobody writes by chance. */
export function isRandom(value: string, shortest: number): boolean {
  return value.length >= shortest && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);
}
