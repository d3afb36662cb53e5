import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Words of a private vocabulary; no exported name holds one of them as a word of its own. */
const forbiddenWords = words(`
  room seat door hall house neighbour face bell means going held holding passage circumstances surroundings crew heed told
  loan lend mend begun spoken outlet news asking attend attended sofar kin brief served silence`);

/** What the name of an exported function begins with, besides `is`, `has`, `can`, `to`, `from`, `create`, `open` and `with`. */
const verbs = words(`
  abort acquire act add agree announce answer append apply approve ask attach authorize begin build calculate call change chat
  check choose claim classify clean close collapse collect combine compact compare compile complete compress compute confirm
  connect convert copy count cut decide decode define delete derive describe detect diagnose dispatch dispose draw edit emit encode
  document ensure erase escape estimate evaluate execute exit expand explain export extend extract fence fetch fill filter find finish fit
  follow forget format get group grow guard guess handle hide highlight ignore import infer inline insert inspect install
  introduce join label lay lex limit list listen load lock log main make map mark mask match measure merge migrate move multiply
  negotiate normalize notice notify pad paint pair parse pause pick plan prepare press preview print protect quote read recall record
  postpone redact reduce refresh refuse register reject release reload remember remove render repair replace report request reserve reset
  resolve restore resume retry revise round run sanitize save say schedule scope score scroll search select send serve set settle share
  shake shorten show shrink sign signal sleep slice sort split start stop store stream supports strip sum suspend switch take throw tidy track trim
  truncate trust turn update use validate verify visit wait walk warn watch weigh wrap write
  abandon adapt adopt assign capitalize charge cite compose consume dismiss draft drain drive drop exchange exclude expire gather keep note observe ping place probe process push receive recognize renew rewrite solve stem summarize transform unwrap wake annotate clear divide fork number pack pin prepend prune rename require unpack
  admit break cache cancel carry continue disable end enter fail flush fold hash hold indent interrupt kill learn leave
  link locate look mount pass peek poll post queue reflow reopen restart rewrap skip straighten submit suggest touch translate try type widen elicit reply withdraw word commit forbid offer replay revoke review`);
const prefixes = new Set([...verbs, "is", "has", "can", "to", "from", "create", "open", "with"]);

/** Lists irregular participles, and the nouns that end as participles do. */
const irregular = words(
  "Came Kept Said Found Broken Sought Given Known Laid Left Sent Told Shown Held Taken Chosen Written Begun",
);
const nouns = words(
  "Embedding Ending Drawing Finding Grouping Heading Listing Meaning Recording Saying Setting Sizing Typing Wording",
);

test("no exported name holds a word of a private vocabulary", () => {
  expect(forbiddenNames(program())).toEqual([]);
});

test("every exported function begins with a verb, or makes an error", () => {
  expect(unclearFunctions(program())).toEqual([]);
});

test("every private function begins with a verb too, also one that is a constant", () => {
  expect(unclearPrivateFunctions(program())).toEqual([]);
});

test("the check of private functions names what it finds", () => {
  const code = [
    "function told() {}\nfunction toText() {\n  async function kept() {}\n  function badNameError() {}\n}",
    "const otherwise = (): void => {};\n  const asked = async <T>(a: T): Promise<T> => a;\nconst onEnd = () => {};",
    "const nothing = async () => {};\nconst each = list.map((one) => one);\nconst half: Cut = (text) => text;",
  ].join("\n");
  expect(unclearPrivateFunctions({ "src/a/b.ts": code })).toEqual(
    ["told", "kept", "otherwise", "asked", "nothing", "half"].map((name) => `src/a/b.ts: ${name}`),
  );
});

test("no type is named by a participle alone", () => {
  expect(participleTypes(program())).toEqual([]);
});

test("the check of types names participles, private ones too, and passes nouns", () => {
  const code =
    "interface Kept {}\nexport type Listening<T> = T;\nexport interface ListeningServer {}\ntype Setting = 1;";
  expect(participleTypes({ "src/a.ts": code })).toEqual(["src/a.ts: Kept", "src/a.ts: Listening"]);
});

test("the checks name the file and what it exports", () => {
  const files = {
    "src/a.ts": "export interface RunRoom {}\nexport const keptDoor = 1;\nexport type Roommate = 1;\nconst seat = 1;",
    "src/b.ts": "export function told(): void {}\nexport async function* kept() {}\nexport function toText() {}",
    "src/c.ts": "export function tooLongError() {}\nexport function isOpen() {}\nfunction participle() {}",
  };
  expect(forbiddenNames(files)).toEqual([
    "src/a.ts exports RunRoom",
    "src/a.ts exports keptDoor",
    "src/b.ts exports told",
  ]);
  expect(unclearFunctions(files)).toEqual(["src/b.ts exports told", "src/b.ts exports kept"]);
});

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

function program(): Record<string, string> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const names = globSync(["src/**/*.{ts,tsx}", "bin/**/*.ts"], { cwd: root }).map((name) => name.replaceAll("\\", "/"));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(`${root}/${name}`, "utf8")]));
}

function exportsOf(code: string, kinds: string): string[] {
  const pattern = new RegExp(`^export (?:default )?(?:abstract )?(?:async )?(?:${kinds})\\*?\\s+([\\w$]+)`, "gm");
  return [...new Set([...code.matchAll(pattern)].map(([, name = ""]) => name))];
}

function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
}

function forbiddenNames(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, code]) =>
    exportsOf(code, "function|interface|type|class|const|let|enum")
      .filter((name) => wordsOf(name).some((word) => forbiddenWords.has(word)))
      .map((name) => `${file} exports ${name}`),
  );
}

/** Parts of the page are named by what they show. */
function isPart(file: string, name: string): boolean {
  return file.endsWith(".tsx") && /^[A-Z]/.test(name);
}

function isClear(name: string): boolean {
  return name.endsWith("Error") || prefixes.has(/^[a-z]+/.exec(name)?.[0] ?? name);
}

function unclearFunctions(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, code]) =>
    exportsOf(code, "function")
      .filter((name) => !isClear(name) && !isPart(file, name))
      .map((name) => `${file} exports ${name}`),
  );
}

function unclearPrivateFunctions(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, code]) => {
    const declared = [...code.matchAll(/^\s*(?:async )?function\*?\s+([\w$]+)/gm)];
    const arrows = [
      ...code.matchAll(
        /^\s*(?:export )?const (\w+)(?:: [^=;\n]+)? =\s+(?:async )?(?:<[^>\n]+>)?(?:\((?:[^()]|\([^()]*\))*\)(?:: [^=\n]+)?|\w+) =>/gm,
      ),
    ];
    const names = [...declared, ...arrows].map(([, name = ""]) => name);
    return names
      .filter((name) => !isPart(file, name))
      .filter((name) => !isClear(name) && !/^on[A-Z]/.test(name))
      .map((name) => `${file}: ${name}`);
  });
}

/** Returns types whose name is one word, and that word a participle. */
function participleTypes(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([file, code]) => {
    const names = [...code.matchAll(/^(?:export )?(?:interface|type|class) ([A-Z][a-z]+)\b/gm)].map(
      ([, name = ""]) => name,
    );
    return names
      .filter((name) => irregular.has(name) || (/(?:ed|ing)$/.test(name) && !nouns.has(name)))
      .map((name) => `${file}: ${name}`);
  });
}
