import { join } from "node:path";
import { DuetError } from "../../kit/errors.ts";
import { configError } from "../config-errors.ts";
import { variableSchema } from "../limit-schemas.ts";
import { readModelFlag } from "../models/model-text.ts";
import { checkSource } from "../schema/check-source.ts";
import { configurationSchema, fileSchema, parseOnce } from "../schema/file-schema.ts";
import { type Flags, settingFlags } from "../settings/settings.ts";
import { type ChosenFiles, chooseFiles, describeSkippedFiles, type SkippedFile } from "./choose-files.ts";
import { listEnvironmentSecrets, readEnvironment, withDotEnv } from "./environment.ts";
import { type Environment, expandVariables } from "./expand-variables.ts";
import { fileName, readText, toDisplayedPath } from "./find-file.ts";
import { parseJson } from "./parse-json.ts";
import { getValue } from "./setting-path.ts";
import { type Assignment, createAssignedSource, createCodeSource, createFileSource, type Source } from "./source.ts";

/** Holds the settings of every source. Each source is validated on its own. */
export interface Sources {
  file: Source;
  variables: Source;
  options: Source;
  code: Source;
  place: ChosenFiles["place"];
  environment: Environment;
  dotEnv: { file: string; added: ReadonlySet<string> };
  leftOut: SkippedFile[];
}

/** Holds the settings of a program that embeds Duet, in the shape of the file, with the name that errors use for it. */
export interface Embedding {
  name: string;
  settings: unknown;
}

/**
 * Reads the file, the environment and the flags, and what an embedding program has set. Throws the first thing that is
 * wrong in one of them. An embedded Duet looks for no file and no `.env` of its own: only a file that is named is read.
 */
export async function readSources(
  flags: Flags,
  real: Environment,
  directory: string,
  embedding?: Embedding,
): Promise<Sources> {
  const searches = embedding === undefined || flags.config !== undefined;
  const chosen = searches ? await chooseFiles(flags.config, real, directory) : createNoFiles(directory);
  try {
    return await readChosen(chosen, { flags, real, directory, embedding });
  } catch (thrown) {
    throw withLeftOut(thrown, chosen.leftOut);
  }
}

interface SourceInputs {
  flags: Flags;
  real: Environment;
  directory: string;
  embedding: Embedding | undefined;
}

async function readChosen(chosen: ChosenFiles, { flags, real, directory, embedding }: SourceInputs): Promise<Sources> {
  const { place, dotEnv, leftOut } = chosen;
  const { environment, added } = withDotEnv(real, dotEnv.text);
  const secrets = listEnvironmentSecrets(environment);

  const file = await readFileSource(place, environment, directory, secrets);
  checkSource(file, fileSchema);
  const variables = createAssignedSource(
    await readEnvironment(environment, { file: dotEnv.file, added }, secrets),
    secrets,
  );
  checkSource(variables, variableSchema);
  checkSource(variables, configurationSchema);
  const { deny } = fileSchema.shape.tools.parse(getValue(file.tree, ["tools"]), parseOnce);
  const options = createAssignedSource(await readFlags(flags, deny, secrets), secrets);
  checkSource(options, configurationSchema);
  const code = createCodeSource(embedding?.name ?? "", embedding?.settings ?? {}, secrets);
  checkSource(code, fileSchema);
  return { file, variables, options, code, place, environment, dotEnv: { file: dotEnv.file, added }, leftOut };
}

function createNoFiles(directory: string): ChosenFiles {
  const place = { file: join(directory, fileName), exists: false };
  return { place, dotEnv: { file: join(directory, ".env"), text: undefined }, leftOut: [] };
}

/** Adds the skipped files to an error, because a missing setting may be in one of them. */
function withLeftOut(thrown: unknown, leftOut: readonly SkippedFile[]): unknown {
  const hint = describeSkippedFiles(leftOut);
  if (!(thrown instanceof DuetError) || hint === undefined || thrown.hint !== undefined) return thrown;
  return new DuetError({ code: thrown.code, text: thrown.text, hint, cause: thrown });
}

async function readFileSource(
  { file, exists, text: known }: Sources["place"],
  environment: Environment,
  directory: string,
  secrets: readonly string[],
): Promise<Source> {
  const shown = toDisplayedPath(file, directory);
  if (!exists) return createFileSource(file, shown, {}, {}, secrets);
  const text = known ?? (await readText(file, shown));
  if (text === undefined) throw configError(shown, { zh: "没有这个文件", en: "there is no such file" });
  const written = await parseJson(text, shown);
  return createFileSource(file, shown, expandVariables(written, environment, shown), written, secrets);
}

/**
 * Reads the settings of the flags. `denied` holds the tools that the file denies: `--no-tools` adds to them, and no flag removes
 * one.
 */
async function readFlags(flags: Flags, denied: readonly string[], secrets: readonly string[]): Promise<Assignment[]> {
  const assignments = settingFlags.map(async ({ name, field, path, kind, addsToFile }): Promise<Assignment[]> => {
    const given = flags[field];
    if (given === undefined) return [];
    const shown = given === false ? `--no-${name}` : `--${name}`;
    const value =
      kind === "model"
        ? await readModelFlag(String(given), shown, secrets)
        : addsToFile && Array.isArray(given)
          ? [...denied, ...given]
          : given;
    const written = kind === "model" ? String(given) : String(value);
    return [{ path, value, written, origin: { from: "flag", name: shown } }];
  });
  return (await Promise.all(assignments)).flat();
}
