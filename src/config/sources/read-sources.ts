import { join } from "node:path";
import type * as z from "zod";
import { DuetError } from "../../kit/errors.ts";
import { configError, createErrorCollector, type ErrorCollector } from "../config-errors.ts";
import { variableSchema } from "../limit-schemas.ts";
import { readModelFlag } from "../models/model-text.ts";
import { toWholeModels } from "../models/whole-models.ts";
import { findFaults } from "../schema/check-source.ts";
import { configurationSchema, fileSchema } from "../schema/file-schema.ts";
import { parseOnce } from "../schema/object-schema.ts";
import { type Flags, settingFlags } from "../settings/settings.ts";
import { type ChosenFiles, chooseFiles, describeSkippedFiles, type SkippedFile } from "./choose-files.ts";
import { findUnreadLines } from "./dot-env-lines.ts";
import { listEnvironmentSecrets, readEnvironment, withDotEnv } from "./environment.ts";
import { type Environment, expandVariables, type ReferenceProblem } from "./expand-variables.ts";
import { fileName, readText, toDisplayedPath } from "./find-file.ts";
import { parseJson } from "./parse-json.ts";
import { findBrokenPart, removeParts } from "./remove-parts.ts";
import { getValue, type Path } from "./setting-path.ts";
import {
  type Assignment,
  createAssignedSource,
  createCodeSource,
  createFileSource,
  type Source,
  type SourceFault,
} from "./source.ts";
import { sortProblems, type UnsetPart } from "./unset-parts.ts";

/** Holds the settings of every source. Each source is validated on its own, and what does not fit is left out of it. */
export interface Sources {
  file: Source;
  variables: Source;
  options: Source;
  code: Source;
  place: ChosenFiles["place"];
  environment: Environment;
  dotEnv: { file: string; added: ReadonlySet<string>; unread: readonly number[] };
  leftOut: SkippedFile[];
  unsetParts: UnsetPart[];
  /** Lists the parts that were left out because something in them is wrong. */
  broken: Path[];
}

/** Holds the settings of a program that embeds Duet, in the shape of the file, with the name that errors use for it. */
export interface Embedding {
  name: string;
  settings: unknown;
}

/**
 * Reads the file, the environment and the flags, and what an embedding program has set. What is wrong in them is collected, and
 * left out. An embedded Duet looks for no file and no `.env` of its own: only a file that is named is read.
 */
export async function readSources(inputs: SourceInputs, collector: ErrorCollector): Promise<Sources> {
  const { flags, real, directory, embedding } = inputs;
  const searches = embedding === undefined || flags.config !== undefined;
  const none = createNoFiles(directory);
  const chosen = searches
    ? ((await collector.attemptAsync(() => chooseFiles(flags.config, real, directory))) ?? none)
    : none;
  const own = createErrorCollector();
  const sources = await readChosen(chosen, inputs, own);
  for (const error of own.errors) collector.add(withLeftOut(error, chosen.leftOut));
  return sources;
}

export interface SourceInputs {
  flags: Flags;
  real: Environment;
  directory: string;
  embedding: Embedding | undefined;
}

async function readChosen(
  chosen: ChosenFiles,
  { flags, real, directory, embedding }: SourceInputs,
  collector: ErrorCollector,
): Promise<Sources> {
  const { place, dotEnv, leftOut } = chosen;
  const { environment, added } = withDotEnv(real, dotEnv.text);
  const secrets = listEnvironmentSecrets(environment);
  const broken: Path[] = [];
  /** Returns the source without what does not fit the schema. */
  const check = (source: Source, schema: z.ZodType): Source => {
    let faults = findFaults(source, schema);
    for (const { error } of faults) collector.add(error);
    let { tree } = source;
    // What is left may lack what it has to have, and is left out in turn.
    while (faults.length > 0) {
      const parts = faults.map(({ path }) => findBrokenPart(tree, path));
      broken.push(...parts);
      tree = removeParts(tree, parts);
      faults = findFaults({ ...source, tree }, schema);
    }
    return { ...source, tree };
  };

  const shown = toDisplayedPath(place.file, directory);
  const read = await collector.attemptAsync(() => readFileSource(place, environment, shown, secrets));
  if (read === undefined) broken.push([]);
  for (const { path, error } of read?.faults ?? []) {
    collector.add(error);
    broken.push(path);
  }
  const file = check(read?.source ?? createFileSource(place.file, shown, {}, {}, secrets), fileSchema);
  const written = await readEnvironment(environment, { file: dotEnv.file, added }, secrets, collector);
  const variables = check(check(createAssignedSource(written, secrets), variableSchema), configurationSchema);
  const { deny } = fileSchema.shape.tools.parse(getValue(file.tree, ["tools"]), parseOnce);
  const given = await readFlags(flags, deny, secrets, collector);
  const options = check(createAssignedSource(given, secrets), configurationSchema);
  const embedded = createCodeSource(embedding?.name ?? "", toWholeModels(embedding?.settings ?? {}), secrets);
  const code = check(embedded, fileSchema);
  const unsetParts = read?.unsetParts ?? [];
  return {
    ...{ file, variables, options, code, place, environment, leftOut, unsetParts, broken },
    dotEnv: { file: dotEnv.file, added, unread: findUnreadLines(dotEnv.text ?? "") },
  };
}

function createNoFiles(directory: string): ChosenFiles {
  const place = { file: join(directory, fileName), exists: false };
  return { place, dotEnv: { file: join(directory, ".env"), text: undefined }, leftOut: [] };
}

/** Adds the skipped files to an error, because a missing setting may be in one of them. */
function withLeftOut(error: DuetError, leftOut: readonly SkippedFile[]): DuetError {
  const hint = describeSkippedFiles(leftOut);
  if (hint === undefined || error.hint !== undefined) return error;
  return new DuetError({ code: error.code, text: error.text, hint, cause: error });
}

interface ReadFile {
  source: Source;
  faults: SourceFault[];
  unsetParts: UnsetPart[];
}

async function readFileSource(
  { file, exists, text: known }: Sources["place"],
  environment: Environment,
  shown: string,
  secrets: readonly string[],
): Promise<ReadFile> {
  if (!exists) return { source: createFileSource(file, shown, {}, {}, secrets), faults: [], unsetParts: [] };
  const text = known ?? (await readText(file, shown));
  if (text === undefined) throw configError(shown, { zh: "没有这个文件", en: "there is no such file" });
  const written = toWholeModels(await parseJson(text, shown));
  const problems: ReferenceProblem[] = [];
  const tree = toWholeModels(expandVariables(written, environment, (problem) => problems.push(problem)));
  const { faults, unsetParts, removed } = sortProblems(problems, written, shown);
  return { source: createFileSource(file, shown, removeParts(tree, removed), written, secrets), faults, unsetParts };
}

/**
 * Reads the settings of the flags. `denied` holds the tools that the file denies: `--no-tools` adds to them, and no flag removes
 * one.
 */
async function readFlags(
  flags: Flags,
  denied: readonly string[],
  secrets: readonly string[],
  collector: ErrorCollector,
): Promise<Assignment[]> {
  const assignments = settingFlags.map(async ({ name, field, path, kind, addsToFile }): Promise<Assignment[]> => {
    const given = flags[field];
    if (given === undefined) return [];
    const shown = given === false ? `--no-${name}` : `--${name}`;
    const read = (): Promise<unknown> =>
      kind === "model"
        ? readModelFlag(String(given), shown, secrets)
        : Promise.resolve(addsToFile && Array.isArray(given) ? [...denied, ...given] : given);
    const value = await collector.attemptAsync(read);
    if (value === undefined) return [];
    const written = kind === "model" ? String(given) : String(value);
    return [{ path, value, written, origin: { from: "flag", name: shown } }];
  });
  return (await Promise.all(assignments)).flat();
}
