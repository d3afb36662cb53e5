import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { isExistingFile } from "../../config/sources/find-file.ts";
import type { CallReview } from "../../core/questions/call-review.ts";
import { listContentArguments } from "../../core/questions/review-arguments.ts";
import { jsonValueSchema } from "../../core/schemas/json-value-schema.ts";
import type { ApprovalRequest } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import { acquireLock } from "../../kit/file-lock.ts";
import { type JsonObject, tryParseJson } from "../../kit/json.ts";
import { createFolder, readPrivateFile, writePrivateFile } from "../../kit/private-file.ts";
import { toSafeJson } from "../../kit/text/sanitize.ts";

const getSavedRuleSchema = createLazy(() =>
  z.object({
    tool: z.string(),
    /** Is the rule under which the call was asked about. Calls that another rule asks about are asked about again. */
    rule: z.string(),
    /** Is the folder in which it counts. */
    folder: z.string(),
    /** Holds the arguments that a call must have, with exactly these values. */
    arguments: z.record(z.string(), jsonValueSchema),
    /** Names the arguments that may have any value. A call with any other argument does not match. */
    free: z.array(z.string()),
  }),
);

/** Allows calls without a question, from one start of the program to the next, because a person has said so. */
export type SavedRule = z.infer<ReturnType<typeof getSavedRuleSchema>>;

const getFileSchema = createLazy(() => z.object({ rules: z.array(getSavedRuleSchema()) }));

/** Limits the list to the rules saved last, and the file in bytes. */
const mostRules = 500;
const largestFile = 4_000_000;

/** Limits the wait for another process that changes the file. */
const lockMs = 5000;

/** Limits a rule, as it is shown: what cannot be read at a glance is not agreed to for good. */
const longestShown = 300;

/**
 * Returns the rule that covers this call and those that differ in the content of the same file alone, where the call is shown as a change
 * of one: a text that a tool sends away is never free. Undefined where no rule may
 * be saved: for a call that is always asked about, for one with a reason of its own, such as private data that it would send out,
 * and where the rule would be too long to be read.
 */
export function toSavedRule(
  { tool, rule, reason, onlyOnce, arguments: args }: ApprovalRequest,
  { folder, review }: { folder: string; review: CallReview },
): SavedRule | undefined {
  if (onlyOnce || reason !== undefined) return undefined;
  const content = new Set(listContentArguments(review));
  const isFree = (name: string): boolean => content.has(name);
  // This key is lost where objects are copied: the rule would cover calls without it.
  if (Object.hasOwn(args, "__proto__")) return undefined;
  const bound: JsonObject = Object.fromEntries(Object.entries(args).filter(([name]) => !isFree(name)));
  const saved = { tool, rule, folder, arguments: bound, free: Object.keys(args).filter(isFree) };
  return renderSavedRule(saved).length > longestShown ? undefined : saved;
}

/** Shows a rule: `files__write_file(path="/home/me/a.txt", content=*)`, where `*` is any value. */
export function renderSavedRule({ tool, arguments: bound, free }: SavedRule): string {
  const shown = [
    ...Object.entries(bound).map(([name, value]) => `${name}=${toSafeJson(value)}`),
    ...free.map((name) => `${name}=*`),
  ];
  return `${tool}(${shown.join(", ")})`;
}

/** Is true when the rule covers what the other one covers, or less of it. */
function isCovering(saved: SavedRule, wanted: SavedRule): boolean {
  return (
    saved.tool === wanted.tool &&
    saved.rule === wanted.rule &&
    saved.folder === wanted.folder &&
    isDeepStrictEqual(saved.arguments, wanted.arguments) &&
    wanted.free.every((name) => saved.free.includes(name))
  );
}

/** Keeps the rules of `permissions.json` in the state folder, which no tool can read or write. */
export interface SavedRules {
  /** Is the folder in which rules count, and for which they are saved. */
  readonly folder: string;
  /** Lists all rules, of every folder. A file that cannot be read counts as an empty list. */
  list(): Promise<readonly SavedRule[]>;
  /** Is true when a saved rule allows what this one would. */
  has(rule: SavedRule): Promise<boolean>;
  /** Throws what the file system throws, and where the file that is there cannot be read. */
  add(rule: SavedRule): Promise<void>;
  /** Takes a rule out again. Throws as `add` does. */
  remove(rule: SavedRule): Promise<void>;
}

export function createSavedRules(home: string, folder: string): SavedRules {
  const file = join(home, "permissions.json");

  async function list(): Promise<readonly SavedRule[]> {
    const read = await ignoreRejection(readPrivateFile(file, largestFile), "without the file there are no rules");
    const parsed = getFileSchema().safeParse(tryParseJson(read?.text ?? ""));
    return parsed.success ? parsed.data.rules : [];
  }

  /** Lists the rules, and throws where the file is there and cannot be read: a change would drop all that it holds. */
  async function listForChange(): Promise<readonly SavedRule[]> {
    if (!(await isExistingFile(file))) return [];
    const { text = "" } = await readPrivateFile(file, largestFile);
    return getFileSchema().parse(JSON.parse(text)).rules;
  }

  /** Changes the list while no other process does. */
  async function change(toChanged: (rules: readonly SavedRule[]) => readonly SavedRule[]): Promise<void> {
    const limit = createTimeLimit(lockMs, () => timeoutError("permissions.json", lockMs));
    createFolder(home);
    try {
      const unlock = await acquireLock(`${file}.lock`, limit.signal);
      try {
        const rules = toChanged(await listForChange());
        await writePrivateFile(file, `${JSON.stringify({ rules }, undefined, 2)}\n`);
      } finally {
        await unlock();
      }
    } finally {
      limit.clear();
    }
  }

  return {
    folder,
    list,
    has: async (wanted) => (await list()).some((saved) => isCovering(saved, wanted)),
    add: (rule) =>
      change((rules) => [...rules.filter((saved) => !isDeepStrictEqual(saved, rule)), rule].slice(-mostRules)),
    remove: (rule) => change((rules) => rules.filter((saved) => !isDeepStrictEqual(saved, rule))),
  };
}
