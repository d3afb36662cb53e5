import { parseEnv } from "node:util";
import { isRecord } from "../../kit/json.ts";
import { escapeRegExp } from "../../kit/text/escape-reg-exp.ts";
import { isSecretName, maskSecret } from "../secrets/mask.ts";
import { isDangerousVariable } from "./dangerous-variables.ts";

// What is shown before a file is trusted may be somebody else's, and what is masked there could be code. So only this is masked:
// a value that no program runs because of the name under which it stands, and in commands and addresses what reads like a token.

/** Returns the form in which the value of a variable, a header or a setting is shown. A reference to a variable is no secret. */
export function maskNamed(name: string, value: string, holder: "env" | "headers" | "setting"): string {
  if (value.includes("$") && /\$\{|\$\(/.test(value)) return value;
  const isSecret = holder === "env" ? isSecretName(name) && !isDangerousVariable(name) : isSecretName(name);
  if (isSecret || (holder === "headers" && isRandom(value, 16))) return maskSecret(value);
  if (isDangerousVariable(name)) return value;
  return maskWord(value.replace(/(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g, "$1…"));
}

/** Masks what reads like a token in a word of a command or in an address: `--token=…`, `//user:…@`, `?key=…`. */
export function maskWord(word: string): string {
  return word.replace(assigned, (whole: string, before: string, value: string) => {
    const [, name] = /([\w.-]+)=$/.exec(before) ?? [];
    return (name === undefined || isSecretName(name)) && isRandom(value, 16) ? before + maskSecret(value) : whole;
  });
}

const assigned = /((?:(?:^|[\s"'])--?|[?&])[\w.-]+=|:\/\/[^\s/:@"']*:)([\w+/=.~%-]{16,})(?=$|[\s"'&@#])/g;

/** Returns the arguments of a program, with the value of `--token VALUE` masked. No package has such a name. */
export function maskArguments(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const option = words[index - 1] ?? "";
    const isValue = option.startsWith("-") && !option.includes("=") && isSecretName(option);
    return isValue && isRandom(word, 20) && /[a-z]/.test(word) && /[A-Z]/.test(word)
      ? maskSecret(word)
      : maskWord(word);
  });
}

/** Returns the text of a configuration with the same masked as in its preview: a value only beside its own name. */
export function maskFileText(text: string, tree: unknown): string {
  const pairs = listMaskedPairs(tree, "");
  const known = pairs.reduce((rest, { before, value, shown }) => {
    const pattern = new RegExp(
      `(${escapeRegExp(JSON.stringify(before))}\\s*[:,]\\s*)${escapeRegExp(JSON.stringify(value))}`,
      "g",
    );
    return rest.replace(pattern, (_, head: string) => head + JSON.stringify(shown));
  }, text);
  // Comments are not in the tree.
  return maskWord(
    known.replace(namedText, (whole: string, head: string, name: string, value: string) =>
      isSecretName(name) && !value.includes("$") ? `${head}${JSON.stringify(maskSecret(value))}` : whole,
    ),
  );
}

const namedText = /(?<!\\)("([\w.-]+)"\s*:\s*)"((?:[^"\\\n…])*)"/g;

/** Returns the text of a `.env` file with the values of secrets masked. */
export function maskDotEnvText(text: string): string {
  return Object.entries(parseEnv(text)).reduce((rest, [name, value = ""]) => {
    const shown = maskNamed(name, value, "env");
    if (shown === value) return rest;
    const before = `(^[ \\t]*(?:export[ \\t]+)?${escapeRegExp(name)}[ \\t]*=[ \\t]*)`;
    const exact = new RegExp(`${before}(["'\`]?)${escapeRegExp(value)}\\2`, "gm");
    const masked = rest.replace(exact, (_, head: string, quote: string) => head + quote + shown + quote);
    return masked === rest ? rest.replace(new RegExp(`${before}.*$`, "gm"), (_, head: string) => head + shown) : masked;
  }, text);
}

interface MaskedPair {
  /** Holds the name of the value, or the option before it. */
  before: string;
  value: string;
  shown: string;
}

function listMaskedPairs(value: unknown, holder: string): MaskedPair[] {
  if (Array.isArray(value)) {
    const words = value.map((word) => (typeof word === "string" ? word : ""));
    const shown = maskArguments(words);
    const inner = value.flatMap((each) => (typeof each === "string" ? [] : listMaskedPairs(each, "")));
    const masked = words.flatMap((word, index) =>
      index > 0 && shown[index] !== word
        ? [{ before: words[index - 1] ?? "", value: word, shown: shown[index] ?? "" }]
        : [],
    );
    return [...inner, ...masked];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== "string") return listMaskedPairs(inner, name);
    const shown = maskNamed(name, inner, holder === "env" || holder === "headers" ? holder : "setting");
    return shown === inner ? [] : [{ before: name, value: inner, shown }];
  });
}

function isRandom(value: string, shortest: number): boolean {
  return value.length >= shortest && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value);
}
