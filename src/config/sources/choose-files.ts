import { dirname, join } from "node:path";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { Environment } from "./expand-variables.ts";
import {
  findFile,
  getStateDirectory,
  isExistingFile,
  listSearchedPaths,
  readText,
  toDisplayedPath,
} from "./find-file.ts";
import { parseJson } from "./parse-json.ts";

export interface ChosenFiles {
  place: { file: string; exists: boolean; text?: string };
  dotEnv: { file: string; text: string | undefined };
  leftOut: SkippedFile[];
}

/** Describes a file in a git work tree that was not read because nobody has trusted its content. */
export interface SkippedFile {
  file: string;
  /** Counts the servers that the file would start or call. Is undefined when the file is no readable configuration. */
  servers?: number;
  /** Says why the file cannot be read, with its name, so that nobody can trust it either. */
  unreadable?: Text;
}

/**
 * Chooses the requested file and the `.env` beside it or, when none is requested, the first place that has one. The user's own
 * file leaves the `.env` to the directory when none lies beside it. A file in a git
 * work tree may come from somebody else, and would start programs and name addresses for our keys. It is read only if its exact
 * content was trusted, and is otherwise treated as absent.
 */
export async function chooseFiles(
  asked: string | undefined,
  environment: Environment,
  directory: string,
): Promise<ChosenFiles> {
  const [here] = listSearchedPaths(environment, directory);
  const envHere = join(dirname(here), ".env");
  const chooseNamed = async (): Promise<ChosenFiles> => {
    const chosen = await chooseTrusted(await findFile(asked, environment, directory), directory);
    if (asked !== undefined || chosen.dotEnv.text !== undefined) return chosen;
    return { ...chosen, dotEnv: { file: envHere, text: await readText(envHere, toDisplayedPath(envHere, directory)) } };
  };
  if (asked !== undefined || !(await isAnyThere(here, envHere))) return chooseNamed();
  const { isInWorkTree, isTrusted, readTrusted } = await import("../trust/trusted-files.ts");
  if (!(await isInWorkTree(directory, environment))) return chooseNamed();

  const trusted = await readTrusted(getStateDirectory(environment, directory));
  const file = await readQuietly(here);
  const env = await readQuietly(envHere);
  const fileCounts = file.exists && file.text !== undefined && isTrusted(trusted, here, file.text);
  const envCounts = env.text !== undefined && isTrusted(trusted, envHere, env.text) && (fileCounts || !file.exists);
  const leftOut = [
    ...(file.exists && !fileCounts
      ? [{ file: here, servers: await countServers(file.text), ...toUnreadable(file) }]
      : []),
    ...(env.exists && !envCounts ? [{ file: envHere, ...toUnreadable(env) }] : []),
  ];
  const dotEnv = { file: envHere, text: envCounts ? env.text : undefined };
  if (fileCounts) return { place: { file: here, exists: true, text: file.text ?? "" }, dotEnv, leftOut };
  const elsewhere = await findFile(undefined, environment, directory, "users");
  if (!elsewhere.exists) return { place: { file: here, exists: false }, dotEnv, leftOut };
  const users = await chooseTrusted(elsewhere, directory);
  return { ...users, dotEnv: users.dotEnv.text === undefined ? dotEnv : users.dotEnv, leftOut };
}

/** Returns one line that names the files and says what to do, and undefined when there are none. */
export function describeSkippedFiles(leftOut: readonly SkippedFile[]): Text | undefined {
  const parts = [
    ...leftOut.flatMap(({ unreadable }) => (unreadable ? [describeUnreadable(unreadable)] : [])),
    ...describeUntrusted(leftOut.filter(({ unreadable }) => unreadable === undefined)),
  ];
  if (parts.length === 0) return undefined;
  return { zh: parts.map(({ zh }) => zh).join("；"), en: parts.map(({ en }) => en).join("; ") };
}

function describeUnreadable({ zh, en }: Text): Text {
  return { zh: `${zh}，没有使用`, en: `${en}, and it is not used` };
}

function describeUntrusted(leftOut: readonly SkippedFile[]): Text[] {
  if (leftOut.length === 0) return [];
  const zh = leftOut.map(({ file, servers }) => (servers === undefined ? file : `${file}（${servers} 个服务器）`));
  const en = leftOut.map(({ file, servers }) =>
    servers === undefined ? file : `${file} (${describeServerCount(servers)})`,
  );
  return [
    {
      zh: `未使用 ${zh.join("、")}：它在 git 工作区中，可能来自他人，其当前内容尚未被信任。查看并信任：duet config trust`,
      en: `${en.join(" and ")}: not used, because a git work tree may contain files of other people and this content is not trusted. Review and trust it: duet config trust`,
    },
  ];
}

/** Describes the count in English and uses the singular for one. */
export function describeServerCount(servers: number): string {
  return servers === 1 ? "1 server" : `${servers} servers`;
}

async function chooseTrusted(place: { file: string; exists: boolean }, directory: string): Promise<ChosenFiles> {
  const file = join(place.exists ? dirname(place.file) : directory, ".env");
  const text = await readText(file, toDisplayedPath(file, directory));
  return { place, dotEnv: { file, text }, leftOut: [] };
}

interface QuietRead {
  exists: boolean;
  text?: string | undefined;
  /** Says why a file that exists cannot be read. */
  problem?: Text;
}

function toUnreadable({ problem }: QuietRead): Pick<SkippedFile, "unreadable"> {
  return problem === undefined ? {} : { unreadable: problem };
}

/** Reads a file without throwing, because an untrusted file must not stop the program. */
async function readQuietly(file: string): Promise<QuietRead> {
  try {
    const text = await readText(file, file);
    return { exists: text !== undefined, text };
  } catch (thrown) {
    if (thrown instanceof DuetError) return { exists: true, problem: thrown.text };
    throw thrown;
  }
}

async function countServers(text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const tree = await ignoreRejection(
    parseJson(text, ""),
    "a file that is no JSON has no servers, and loading it says why",
  );
  if (!isRecord(tree)) return undefined;
  const entries = [tree.mcpServers, tree.servers].flatMap((part) => (isRecord(part) ? Object.values(part) : []));
  return entries.filter((entry) => isRecord(entry) && entry.disabled !== true && entry.enabled !== false).length;
}

async function isAnyThere(...files: string[]): Promise<boolean> {
  return (await Promise.all(files.map(isExistingFile))).includes(true);
}
