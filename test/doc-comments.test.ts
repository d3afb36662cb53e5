import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Lists the verbs, in the third person, that begin a doc comment. A new verb is added here. */
const openers = words(`
  aborts accepts adds allows announces answers appends applies approves asks assumes begins belongs breaks builds caches calculates
  calls cancels carries changes checks chooses classifies cleans clears closes collects combines compares compiles completes
  configures confirms connects consists contains converts copies counts covers creates cuts decides decodes defines delays derives
  describes detects differs discards dismisses divides does draws drops edits emits emphasizes ends enforces equals erases escapes
  estimates exchanges excludes exempts expands explains exports extends fails fetches fills finds finishes fits flattens folds
  follows forgets formats frees gets gives goes groups handles hands has hears hides holds identifies imports includes indents
  interprets introduces is joins keeps labels lays learns leaves lets limits links listens lists loads locates logs looks makes
  manages maps marks masks matches means measures merges moves must names navigates needs normalises normalizes notifies numbers offers
  omits opens orders overrides owns pads paints pairs parses passes pauses pins plans points precedes prefers prepares presents
  previews prints provides puts queues quotes ranges reads rebuilds receives recognises recognizes records redacts redraws reduces
  refers refuses registers rejects releases remembers removes renames renders repairs replaces reports represents requests requires
  reserves resets resolves restarts restores restricts retries returns reuses reverses rewords rewraps rewrites runs sanitizes saves
  says schedules scores searches sees selects sends separates serves sets settles shakes shortens shows signals signs skips sorts
  speaks splits spreads stands starts states stops stores streams strips submits suggests summarises summarizes sums supplies
  switches takes tells tests throws touches tracks tries turns unwraps updates upgrades uses validates wakes waits warns watches
  works wraps writes yields costs charges reasons shares scrolls expires recommends indicates inherits occurs comes stays continues nests mentions prices rounds
  defaults talks`);

/** Lists finite verbs that no noun looks like. */
const auxiliaries = words(`
  is are was were has have had can could may might must shall should will would do does did cannot isn't aren't doesn't don't
  makes becomes become came went gave took made kept got began stand exceeded ended printed tried`);

/** Lists verbs that are nouns as well; within a sentence they count as verbs only before an object or an adverb. */
const alsoNouns = words(`
  answers asks breaks calls changes checks copies counts covers cuts delays draws drops edits ends exports fails fills fits folds
  formats groups hands imports joins labels leaves limits links lists loads logs looks makes maps marks masks matches measures means
  moves names numbers offers orders pairs passes pauses pins plans points previews prints queues quotes ranges reads records releases
  repairs reports requests reserves resets restarts retries runs saves scores searches sets shows signals signs sorts splits spreads
  stands starts states stops stores streams sums supplies switches tests tracks tries turns updates upgrades uses waits works
  costs charges reasons shares scrolls prices rounds defaults`);

const objects =
  /^(?:the|a|an|its|it|their|them|no|this|that|these|each|every|nothing|only|all|one|at|by|in|on|with|without|as|from|to|up|out|again|for|until|when|while|before|after|and|or|not|never|so|more|than|what|how|whether|same|deeper|as|many|this|also|other|enough|another|for|beside|between|last|here|there|Code)$/;

/** Lists the words after which a word that begins a comment is a plural noun: "Runs of a list." */
const nounFollowers = words("of that whose under as for in allowed made to");

/** Lists the exceptions to this: the verbs that such a word may follow. */
const verbsBefore: Readonly<Record<string, Set<string>>> = {
  that: words("reports records checks shows signals states marks requests"),
  as: words("asks counts works runs"),
  for: words("waits looks asks stands runs searches"),
  to: words("defaults rounds moves points tries turns waits refers ranges returns scrolls"),
  in: words("reports runs ends signs answers counts draws works shows asks looks names sorts"),
};

const subordinators = words("that which who whom whose where when while if because unless until what whether how why");

const interrogatives = words("what whether how of whose where why who whom which");

test("every doc comment of the program begins with a sentence that has a main verb", () => {
  const files = globSync("{src,bin}/**/*.{ts,tsx}").map((file) => file.replaceAll("\\", "/"));
  expect(files.sort().flatMap((file) => findFragments(file, readFileSync(file, "utf8")))).toEqual([]);
});

test.each([
  "What a server offers.",
  "Whether it is open.",
  "The list of tools.",
  "Milliseconds.",
  "Of a line that does not end, in characters.",
  "How many calls a server may have.",
  "The tools that the model has read. It is sorted.",
  "Characters of a line, in all.",
  "Those that were wanted last.",
  "The limits of one run, of the caller's.",
  "Turns that the summary stands for.",
  "Runs of a list, as they stand there.",
  "Retries allowed for each first try.",
  "Names for labels, of which there are few.",
  "Ways to go on with a text.",
])("the fragment %j is no sentence, and is named with its file and line", (comment) => {
  expect(findFragments("src/a.ts", `const a = 1;\n/** ${comment} */\nconst b = 2;`)).toEqual([
    `src/a.ts:2: ${comment}`,
  ]);
});

test.each([
  "Returns the list of tools.",
  "The caller decides what is done with it.",
  "Callers cancel the run through this signal.",
  "Whether it is open, the caller has to know.",
  "Nobody may write here.",
  "The server names the model.",
  "Says whether it is open.\n * @throws {Error}",
  "{@link a} decides.",
  "Reports that a user has to sign in.",
  "Waits for the end.",
  "Runs that have ended are removed.",
])("%j is a sentence", (comment) => {
  expect(findFragments("src/a.ts", `/** ${comment} */\nconst b = 2;`)).toEqual([]);
});

function findFragments(file: string, code: string): string[] {
  return [...code.matchAll(/^[ \t]*\/\*\*([\s\S]*?)\*\//gm)].flatMap((found) => {
    const comment = (found[1] ?? "")
      .replaceAll(/\n\s*\* ?/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    const line = code.slice(0, found.index).split("\n").length;
    return isSentence(comment) ? [] : [`${file}:${line}: ${comment}`];
  });
}

function isSentence(comment: string): boolean {
  const text = comment.replace(/(?:^|\s)@[a-z][\s\S]*$/, "").replaceAll(/\{@link [^}]*\}|`[^`]*`|"[^"]*"/g, "Code");
  if (text === "") return true;
  const [first = ""] = text.split(/(?<=[.!?])\s/);
  const opener = toWord(first.split(" ")[0] ?? "");
  const [head = "", next = ""] = first.split(" ");
  const isNoun = !head.endsWith(",") && isPluralNoun(opener, toWord(next));
  if (openers.has(opener) && !isNoun) return true;
  if (isNoun) return hasMainVerb(first.split(/[,;:]/)[0] ?? "");
  if (interrogatives.has(opener)) return hasMainVerb(first.split(", ").slice(1).join(", "));
  return hasMainVerb(first);
}

function isPluralNoun(opener: string, next: string): boolean {
  return alsoNouns.has(opener) && nounFollowers.has(next) && verbsBefore[next]?.has(opener) !== true;
}

/** Looks for one finite verb more than the subordinate clauses need, each of which has one of its own. */
function hasMainVerb(sentence: string): boolean {
  const parts = sentence.split(" ");
  let clauses = 0;
  for (const [index, word] of parts.entries()) {
    if (subordinators.has(toWord(word))) clauses += 1;
    else if (index > 0 && parts[index - 1] !== "to" && isFiniteVerb(word, parts[index + 1] ?? "")) {
      if (clauses === 0) return true;
      clauses -= 1;
    } else if (clauses > 0 && /[,;:]$/.test(word)) clauses -= 1;
  }
  return false;
}

function isFiniteVerb(word: string, next: string): boolean {
  const verb = toWord(word);
  if (auxiliaries.has(verb)) return true;
  const isBase = openers.has(`${verb}s`) || openers.has(`${verb}es`) || openers.has(`${verb.slice(0, -1)}ies`);
  if (!openers.has(verb) && !isBase) return false;
  const isNoun = [verb, `${verb}s`, `${verb}es`, `${verb.slice(0, -1)}ies`].some((form) => alsoNouns.has(form));
  return !isNoun || objects.test(next.replace(/[^\w]/g, ""));
}

function toWord(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z']/g, "");
}

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
