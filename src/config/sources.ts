import { dirname, join } from "node:path";
import { assignedByEnvironment, environmentSecrets, withDotEnv } from "./environment.ts";
import { type Environment, expand } from "./expand.ts";
import { findFile, readText, shownFile } from "./find.ts";
import { assignedByFlags, type Flags } from "./flags.ts";
import { check } from "./issue.ts";
import { parseJson } from "./parse.ts";
import { problem } from "./problem.ts";
import { fileSchema, once, settingsSchema } from "./schema.ts";
import { assignedSource, fileSource, type Source } from "./source.ts";

/** All that is written anywhere, each source checked by itself. */
export interface Sources {
  file: Source;
  variables: Source;
  options: Source;
  place: { file: string; exists: boolean };
  environment: Environment;
  dotEnv: { file: string; added: ReadonlySet<string> };
}

/** Reads the file, the environment and the flags. Throws the first thing that is wrong in one of them. */
export async function readSources(flags: Flags, real: Environment, directory: string): Promise<Sources> {
  const place = await findFile(flags.config, real, directory);
  const envFile = join(place.exists ? dirname(place.file) : directory, ".env");
  const { environment, added } = await withDotEnv(real, envFile, shownFile(envFile, directory));
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
  return { file, variables, options, place, environment, dotEnv: { file: envFile, added } };
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
