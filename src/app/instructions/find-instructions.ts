import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Environment } from "../../config/sources/expand-variables.ts";
import { getConfigDirectory, getHomeDirectory, readText } from "../../config/sources/find-file.ts";
import { isTrusted, readTrusted, trustFiles } from "../../config/trust/trusted-files.ts";
import type { FolderInstructions } from "../../core/folder-instructions.ts";
import { DuetError } from "../../kit/errors.ts";
import { findWorkTree, listFoldersAbove } from "../../kit/work-tree.ts";

/** Lists the names of such files. The first one of a folder is taken: the others say the same to other programs as a rule. */
const names = ["DUET.md", "AGENTS.md", "CLAUDE.md"];

/** Limits all instructions together, in bytes of UTF-8. The nearest file has the first claim. */
export const mostInstructionBytes = 32_768;

export interface FoundInstructions extends FolderInstructions {
  /** Is true for the user's own file, and for one whose exact content a person has trusted at this place. */
  isTrusted: boolean;
  /** Is true for the user's own file. */
  isUsers: boolean;
  /** Is true where a person does not want exactly this content. */
  isDeclined: boolean;
}

/** Gets the error for a file that is there and cannot be used, which names it. */
export type ReportUnreadable = (problem: DuetError) => void;

/** Says where instructions are looked for. */
export interface InstructionPlaces {
  /** Is the working folder. */
  directory: string;
  environment: Environment;
  /** Is the directory of the stored state, which has the list of what is trusted. */
  home: string;
}

/**
 * Finds the instructions for agents: the user's own beside the configuration, then those of the working folder and of the folders
 * above it, the outermost first. Above, it goes to the root of the git work tree, else to the user's home; elsewhere it stays in the
 * working folder. A link that leads out of these folders is left out, and so is what is no readable text, which `onUnreadable` gets
 * with the name of the file.
 */
export async function findInstructions(
  places: InstructionPlaces,
  onUnreadable: ReportUnreadable = () => {},
): Promise<FoundInstructions[]> {
  const { environment, home } = places;
  const directory = await realpath(places.directory).catch(() => resolve(places.directory));
  const folders = await listFolders(directory, environment);
  const [root = directory] = folders;
  const users = getConfigDirectory(environment);
  const [trusted, declined] = await Promise.all([readTrusted(home, "instructions"), readTrusted(home, "declined")]);
  const own = await readFirst(users, { onUnreadable });
  const found = (
    await Promise.all(
      folders.filter((folder) => folder !== users).map((folder) => readFirst(folder, { root, onUnreadable })),
    )
  ).filter((each) => each !== undefined);
  const judged = found.map((each) => ({
    ...each,
    isUsers: false,
    isTrusted: isTrusted(trusted, each.file, each.text),
    isDeclined: isTrusted(declined, each.file, each.text),
  }));
  return [...(own ? [{ ...own, isUsers: true, isTrusted: true, isDeclined: false }] : []), ...judged];
}

/** Returns those that models may be given. What is too long for all together is cut at the ends of the farthest files. */
export function selectTrusted(found: readonly FoundInstructions[]): FolderInstructions[] {
  let left = mostInstructionBytes;
  const fitted = found
    .filter((each) => each.isTrusted)
    .toReversed()
    .map(({ file, text }) => {
      const kept = Buffer.from(text).subarray(0, left);
      left -= kept.length;
      // The last character may be cut in two.
      return { file, text: kept.toString("utf8").replace(/\uFFFD$/, "") };
    });
  return fitted.filter(({ text }) => text !== "").reverse();
}

/** Finds what models may be given without asking anybody. */
export async function findTrustedInstructions(places: InstructionPlaces): Promise<FolderInstructions[]> {
  return selectTrusted(await findInstructions(places));
}

/** Remembers that a person wants, or does not want, exactly these instructions. Throws what the file system throws. */
export async function rememberChoice(
  files: readonly FolderInstructions[],
  home: string,
  isWanted: boolean,
): Promise<void> {
  await trustFiles(files, home, isWanted ? "instructions" : "declined");
}

/** Lists the working folder and those above it, the outermost first. */
async function listFolders(directory: string, environment: Environment): Promise<string[]> {
  const home = resolve(getHomeDirectory(environment));
  const top = (await findWorkTree(directory, home)) ?? home;
  const folders = listFoldersAbove(directory, top);
  // Outside the user's home, folders above may be anybody's.
  return folders.at(-1) === top ? folders.reverse() : [directory];
}

interface ReadOptions {
  /** Is the folder below which a link has to stay, so that no folder can name a file elsewhere. */
  root?: string;
  onUnreadable: ReportUnreadable;
}

/** Reads the file of a folder. */
async function readFirst(folder: string, options: ReadOptions): Promise<FolderInstructions | undefined> {
  for (const name of names) {
    const file = join(folder, name);
    const text = await readQuietly(file, options);
    if (text !== undefined && text.trim() !== "") return { file, text };
  }
  return undefined;
}

async function readQuietly(file: string, { root, onUnreadable }: ReadOptions): Promise<string | undefined> {
  try {
    if (root !== undefined) {
      const real = await realpath(file);
      if (real !== file && !real.startsWith(join(root, "/"))) return undefined;
    }
    return await readText(file, file);
  } catch (thrown) {
    if (thrown instanceof DuetError) onUnreadable(thrown);
    // Nothing is there that could be followed.
    else if (!(thrown instanceof Error && "code" in thrown)) throw thrown;
    return undefined;
  }
}
