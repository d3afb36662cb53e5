import { dirname, join } from "node:path";
import { assignedByEnvironment, environmentSecrets, withDotEnv } from "./environment.ts";
import { type Environment, expand } from "./expand.ts";
import { fileName, findFile, readText, shownFile } from "./find.ts";
import { assignedByFlags, type Flags } from "./flags.ts";
import { check } from "./issue.ts";
import { parseJson } from "./parse.ts";
import { problem } from "./problem.ts";
import { fileSchema, once, settingsSchema } from "./schema.ts";
import { assignedSource, codeSource, fileSource, type Source } from "./source.ts";

/** All that is written anywhere, each source checked by itself. */
export interface Sources {
  file: Source;
  variables: Source;
  options: Source;
  code: Source;
  place: { file: string; exists: boolean };
  environment: Environment;
  dotEnv: { file: string; added: ReadonlySet<string> };
}

/** What a program that embeds Duet has set: the settings in the file's shape, under the name that errors call them. */
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
  const place = searches
    ? await findFile(flags.config, real, directory)
    : { file: join(directory, fileName), exists: false };
  const envFile = join(place.exists ? dirname(place.file) : directory, ".env");
  const { environment, added } = searches
    ? await withDotEnv(real, envFile, shownFile(envFile, directory))
    : { environment: real, added: new Set<string>() };
  const secrets = environmentSecrets(environment);

  const file = await readFileSource(place, environment, directory, secrets);
  check(file, fileSchema);
  const variables = assignedSource(
    await assignedByEnvironment(environment, { file: envFile, added }, secrets),
    secrets,
  );
  check(variables, settingsSchema);
  const { tools } = fileSchema.parse(file.tree, once);
  const options = assignedSource(await assignedByFlags(flags, tools.deny, secrets), secrets);
  check(options, settingsSchema);
  const code = codeSource(embedding?.name ?? "", embedding?.settings ?? {}, secrets);
  check(code, fileSchema);
  return { file, variables, options, code, place, environment, dotEnv: { file: envFile, added } };
}

async function readFileSource(
  { file, exists }: Sources["place"],
  environment: Environment,
  directory: string,
  secrets: readonly string[],
): Promise<Source> {
  const shown = shownFile(file, directory);
  if (!exists) return fileSource(file, shown, {}, {}, secrets);
  const text = await readText(file, shown);
  if (text === undefined) throw problem(shown, { zh: "没有这个文件", en: "there is no such file" });
  const written = await parseJson(text, shown);
  return fileSource(file, shown, expand(written, environment, shown), written, secrets);
}
