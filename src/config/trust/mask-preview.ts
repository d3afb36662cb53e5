import { parseEnv } from "node:util";
import { isRecord } from "../../kit/json.ts";
import { escapeRegExp } from "../../kit/text/escape-reg-exp.ts";
import { isKnownKey, isSecretName, maskProxy, maskSecret } from "../secrets/mask.ts";
import { isDangerousVariable } from "./dangerous-variables.ts";
import { isRandom, maskArguments, maskWord } from "./mask-words.ts";

// What is shown before a file is trusted may be somebody else's, and what is masked there could be code. So only this is masked:
// a value that no program runs because of the name or option beside which it stands, and what reads like a token elsewhere.

/** Returns the form in which the value of a variable, a header or a setting is shown. A reference to a variable is no secret. */
export function maskNamed(name: string, value: string, holder: "env" | "headers" | "setting"): string {
  if (value.includes("$") && /\$\{|\$\(/.test(value)) return value;
  const isSecret = holder === "env" ? isSecretName(name) && !isDangerousVariable(name) : isSecretName(name);
  if (isSecret || (holder === "headers" && isRandom(value, 16))) return maskSecret(value);
  if (isDangerousVariable(name)) return value;
  if (/(?:^|_)proxy$/i.test(name)) return maskProxy(value);
  return maskWord(value.replace(/(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g, "$1…"));
}

/** Returns the text of a configuration with the same masked as in its preview: a value only beside its own name. */
export function maskFileText(text: string, tree: unknown): string {
  const pairs = listMaskedPairs(tree, "");
  // In one pass: what is before a value may itself be masked.
  const found = pairs.map(({ before, value }) => {
    const [head, written] = [before, value].map((each) => escapeRegExp(JSON.stringify(each)));
    return `(?<=${head}\\s*[:,]\\s*\\[?\\s*)(${written})`;
  });
  const known =
    pairs.length === 0
      ? text
      : text.replace(new RegExp(found.join("|"), "g"), (whole: string, ...groups: unknown[]) => {
          const at = groups.slice(0, pairs.length).findIndex((group) => group !== undefined);
          return JSON.stringify(pairs[at]?.shown ?? whole);
        });
  // Comments are not in the tree.
  return maskWord(
    known.replace(namedText, (whole: string, head: string, name: string, value: string) =>
      isSecretName(name) && !value.includes("$") ? `${head}${JSON.stringify(maskSecret(value))}` : whole,
    ),
  );
}

const namedText = /(?<!\\)("([\w.-]+)"\s*:\s*)"((?:[^"\\\n…])*)"/g;

/**
 * Returns the form in which a variable of a `.env` file is shown: a key of a well-known form is masked whatever it is called,
 * unless the configuration beside it inserts the variable somewhere, where the value could name a package.
 */
export function maskVariable(name: string, value: string, configuration: string): string {
  const isInserted = new RegExp(`\\$(?:\\{(?:env:)?)?${escapeRegExp(name)}(?!\\w)`).test(configuration);
  if (isKnownKey(value) && !isInserted && !isDangerousVariable(name)) return maskSecret(value);
  return maskNamed(name, value, "env");
}

/** Returns the text of a `.env` file with the values of secrets masked. `configuration` is the text of the file beside it. */
export function maskDotEnvText(text: string, configuration: string): string {
  return Object.entries(parseEnv(text)).reduce((rest, [name, value = ""]) => {
    const shown = maskVariable(name, value, configuration);
    if (shown === value) return rest;
    const before = `(^[ \\t]*(?:export[ \\t]+)?${escapeRegExp(name)}[ \\t]*=[ \\t]*)`;
    const exact = new RegExp(`${before}(["'\`]?)${escapeRegExp(value)}\\2`, "gm");
    const masked = rest.replace(exact, (_, head: string, quote: string) => head + quote + shown + quote);
    return masked === rest ? rest.replace(new RegExp(`${before}.*$`, "gm"), (_, head: string) => head + shown) : masked;
  }, text);
}

interface MaskedPair {
  /** Holds the name of the value or of its list, or the word before it in a list. */
  before: string;
  value: string;
  shown: string;
}

function listMaskedPairs(value: unknown, holder: string, program = ""): MaskedPair[] {
  if (Array.isArray(value)) {
    const words = value.map((word) => (typeof word === "string" ? word : ""));
    const [, ...shown] = maskArguments([program, ...words]);
    const inner = value.flatMap((each) => (typeof each === "string" ? [] : listMaskedPairs(each, "")));
    const masked = words.flatMap((word, index) =>
      shown[index] === word ? [] : [{ before: words[index - 1] ?? holder, value: word, shown: shown[index] ?? "" }],
    );
    return [...inner, ...masked];
  }
  if (!isRecord(value)) return [];
  const command = typeof value.command === "string" ? value.command : "";
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== "string") return listMaskedPairs(inner, name, name === "args" ? command : "");
    const shown = maskNamed(name, inner, holder === "env" || holder === "headers" ? holder : "setting");
    return shown === inner ? [] : [{ before: name, value: inner, shown }];
  });
}
