// A user's project around the library.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Makes the folder a project with these files and two libraries of schemas; `duet` is where Duet was installed from. */
export async function makeProject(folder: string, files: Record<string, string>, duet: string): Promise<void> {
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(duet, join(folder, "node_modules", "duet-mcp"));
  for (const name of ["zod", "arktype", "@types", "ai", "@ai-sdk"])
    await symlink(resolve("node_modules", name), join(folder, "node_modules", name));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
