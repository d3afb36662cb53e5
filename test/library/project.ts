// A user's project around the library, and the examples of the documents.
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The examples of a document, in order. */
export async function examplesOf(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^```ts [^\n]*\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
}

/** Makes the folder a project with these files and two libraries of schemas; `duet` is where Duet was installed from. */
export async function makeProject(folder: string, files: Record<string, string>, duet: string): Promise<void> {
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(duet, join(folder, "node_modules", "duet-mcp"));
  for (const name of ["zod", "arktype", "@types"])
    await symlink(resolve("node_modules", name), join(folder, "node_modules", name));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
