// Finds declarations in our source, whose formatter ends each of them at a line without indentation.
import { readFileSync } from "node:fs";
import { posix } from "node:path";

export interface Declaration {
  readonly name: string;
  /** The file below `src`. */
  readonly file: string;
  /** The sentences of the comment before it; empty where there is none. */
  readonly comment: string;
  /** Without `export`, and without the bodies of functions. */
  readonly code: string;
}

/** What the package exports: its name there, its name where it is declared, and the file below `src`. */
export interface ExportedName {
  readonly name: string;
  readonly declared: string;
  readonly file: string;
}

/** Lists what a program can import from the package, from the export list of `src/index.ts`. */
export function listExports(entry = "index.ts"): ExportedName[] {
  const text = readSource(entry);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]+)\} from "([^"]+)";$/gm)];
  const again = lists.flatMap(([, names = "", path = ""]) =>
    names
      .split(",")
      .map((each) => each.trim().replace(/^type /, ""))
      .filter((each) => each !== "")
      .map((each) => {
        const [declared = "", name = declared] = each.split(" as ");
        return { name, declared, file: posix.join(posix.dirname(entry), path) };
      }),
  );
  const own = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = ""]) => name);
  return [...own.map((name) => ({ name, declared: name, file: entry })), ...again];
}

export function readSource(file: string): string {
  return readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8");
}

/** Finds a type, a function, a class or a constant; undefined where the file has none of the name. */
export function findDeclaration(file: string, name: string): Declaration | undefined {
  const text = readSource(file);
  const head = new RegExp(
    `^(?:export )?(?:abstract )?(?:async )?(interface|type|function|class|const) ${name}\\b`,
    "m",
  );
  const found = head.exec(text);
  if (found === null) return undefined;
  const lines = text.slice(found.index).split("\n");
  const before = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(text.slice(0, found.index))?.[1] ?? "";
  return {
    name,
    file,
    comment: toSentences(before),
    code: cutCode(lines, found[1] ?? "").replaceAll(/^export /gm, ""),
  };
}

/** Says in which file a name of a file is declared: there, or where it is imported from. */
export function findFileOf(file: string, name: string): string | undefined {
  if (findDeclaration(file, name)) return file;
  for (const [, names = "", path = ""] of readSource(file).matchAll(
    /^import (?:type )?\{([^}]+)\} from "(\.[^"]+)";$/gm,
  ))
    if (new RegExp(`\\b${name}\\b`).test(names)) return posix.join(posix.dirname(file), path);
  return undefined;
}

function toSentences(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim();
}

/** Cuts a declaration out of the lines that begin with it; functions lose their bodies. */
export function cutCode(lines: readonly string[], kind: string): string {
  if (kind === "function") return cutSignatures(lines);
  const end = lines.findIndex(
    (line, index) =>
      /^[})]/.test(line) || (index >= 0 && /^(?!\s*(?:\/\*|\*)).*;$/.test(line) && isClosed(lines.slice(0, index + 1))),
  );
  const whole = lines.slice(0, end + 1);
  return kind === "class" ? cutBodies(whole) : whole.join("\n");
}

/** The ways in which a function may be called: all its signatures, or the one that has the body. */
function cutSignatures(lines: readonly string[]): string {
  const signatures: string[] = [];
  let rest = [...lines];
  while (/^(?:export )?(?:async )?function /.test(rest[0] ?? "")) {
    const end = rest.findIndex((line) => /(?:;|\{)$/.test(line) && !/^ /.test(line.replace(/^\): .*/, ")")));
    const signature = rest.slice(0, end + 1).join("\n");
    if (signature.endsWith("{") && signatures.length > 0) break;
    signatures.push(signature.replace(/ \{$/, ";").replace(/\basync function/, "function"));
    rest = rest.slice(end + 1);
  }
  return signatures.join("\n");
}

/** A class with the heads of its methods alone. */
function cutBodies(lines: readonly string[]): string {
  const kept: string[] = [];
  let isInBody = false;
  for (const [index, line] of lines.entries()) {
    if (isInBody) isInBody = line !== "  }";
    else if (index > 0 && /^ {2}\S.*\{$/.test(line)) {
      kept.push(line.replace(/ \{$/, ";"));
      isInBody = true;
    } else kept.push(line);
  }
  return kept.join("\n");
}

function isClosed(lines: readonly string[]): boolean {
  const text = lines.join("\n").replaceAll(/"(?:\\.|[^"\\])*"|\/\*[\s\S]*?\*\//g, "");
  const count = (signs: RegExp): number => text.match(signs)?.length ?? 0;
  return count(/[{([]/g) === count(/[})\]]/g);
}
