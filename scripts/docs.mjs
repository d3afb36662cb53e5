// Writes what docs/ has from tables of the program: the page of the built-in tools, and the tables of settings, variables and limits;
// the picture of the architecture; the types of the requests that the page makes, from the OpenAPI document; and the reference of the
// library, from its comments.
import "./check-vendors.ts";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostNames } from "../src/cli/install/hosts.ts";
import { documentBuiltinTools } from "../src/tools/tool-documents.ts";
import { drawArchitecture } from "./draw-architecture.ts";
import { writeHostPage } from "./host-pages/write-host-page.ts";
import { pageApiFile, writePageApi } from "./page-api.ts";
import { writeReference } from "./reference/reference.ts";
import { fillTables, generatedPages } from "./setting-tables.ts";

await writeFile(pageApiFile, writePageApi());

await mkdir("docs/reference", { recursive: true });
for (const [name, text] of await writeReference()) await writeFile(`docs/reference/${name}`, text);

for (const [locale, ending] of [
  ["en", "md"],
  ["zh", "zh.md"],
]) {
  await writeFile(`docs/tools.${ending}`, documentBuiltinTools(locale));
  await writeFile(`docs/architecture${locale === "zh" ? ".zh" : ""}.svg`, drawArchitecture(locale));
  for (const host of hostNames) await writeFile(`docs/hosts/${host}.${ending}`, writeHostPage(host, locale));
  for (const page of generatedPages) {
    const file = `docs/${page}.${ending}`;
    await writeFile(file, fillTables(await readFile(file, "utf8"), locale));
  }
}
