// Reads the commands of a block of shell or of a console, as far as documents write them.

export interface ShellCommand {
  /** Its words without quotes; variables before it are in `variables`. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Whether its output goes into the next one. */
  readonly isPiped: boolean;
}

/** A line that somebody types, and what is shown below it. */
export interface Typed {
  readonly line: string;
  readonly output: readonly string[];
}

/** Splits a console into what is typed after `$ ` and what is shown. Without a `$` nothing is typed. */
export function readConsole(text: string): Typed[] {
  const typed: { line: string; output: string[] }[] = [];
  let continues = false;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const last = typed.at(-1);
    if (continues && last) last.line += `\n${line}`;
    else if (line.startsWith("$ ")) typed.push({ line: line.slice(2), output: [] });
    else last?.output.push(line);
    continues = line.endsWith("\\") && (continues || line.startsWith("$ "));
  }
  return typed;
}

/** The text of a block that is shell: all of it, or what is typed in a console. */
export function toShell(language: string, text: string): string {
  if (language !== "console") return text;
  return readConsole(text)
    .map(({ line }) => `${line}\n`)
    .join("");
}

const pieces =
  /(?<space>[ \t]+|\\\n)|(?<comment>(?<![^\s;|&])#[^\n]*)|(?<end>\n|;|&&|\|\||\|)|(?<single>'[^']*')|(?<double>"(?:\\.|[^"\\])*")|(?<escaped>\\.)|(?<run>\$\((?:[^()]|\([^()]*\))*\))|(?<plain>[^\s'"\\;|&$#]+|[$&#])/gsu;

/** Reads the commands of a shell's text, in order. */
export function readCommands(text: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  function endWord(): void {
    if (word !== undefined) words.push(word);
    word = undefined;
  }
  function endCommand(isPiped: boolean): void {
    endWord();
    const count = words.findIndex((each) => !/^[A-Za-z_]\w*=/s.test(each));
    const ahead = count < 0 ? words : words.slice(0, count);
    const variables = Object.fromEntries(ahead.map((each) => splitOnce(each, "=")));
    if (words.length > 0) commands.push({ words: words.slice(ahead.length), variables, isPiped });
    words = [];
  }
  for (const { groups = {} } of text.matchAll(pieces)) {
    const { space, comment, end, single, double, escaped, run, plain } = groups;
    if (end !== undefined) endCommand(end === "|");
    else if (space !== undefined || comment !== undefined) endWord();
    else
      word = `${word ?? ""}${single?.slice(1, -1) ?? unescapeQuoted(double) ?? escaped?.slice(1) ?? run ?? plain ?? ""}`;
  }
  endCommand(false);
  return commands;
}

/** What is given to Duet by a command that starts it, as `duet`, with npx or from a clone; undefined for another one. */
export function findDuetArguments([first, ...rest]: readonly string[]): string[] | undefined {
  if (first === "duet") return withoutRedirection(rest);
  if (first === "npx") {
    const [name, ...more] = rest[0] === "-y" ? rest.slice(1) : rest;
    return name !== undefined && /^duet-mcp(?:@|$)/.test(name) ? withoutRedirection(more) : undefined;
  }
  const at = rest.findIndex((word) => /(?:^|\/)duet\.js$/.test(word));
  return first !== undefined && /(?:^|\/)node$/.test(first) && at >= 0
    ? withoutRedirection(rest.slice(at + 1))
    : undefined;
}

function withoutRedirection(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^\d?[<>]/.test(word));
  return at < 0 ? [...words] : words.slice(0, at);
}

function unescapeQuoted(quoted: string | undefined): string | undefined {
  return quoted?.slice(1, -1).replaceAll(/\\(["\\$`])/g, "$1");
}

function splitOnce(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return [text.slice(0, index), text.slice(index + at.length)];
}
