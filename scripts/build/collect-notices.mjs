// Writes the licences of the packages in the bundle, which have to travel along with it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Matches the files in which packages keep what has to travel along. */
const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[-.].*)?$/i;

/** Matches the section of a README that is the licence of a package without such a file, and a sentence that such a text has. */
const licenceSection = /^#+ *licen[cs]e\b.*\n([\s\S]*?)(?=^#|(?![\s\S]))/im;
const licenceSentence = /Permission is hereby granted|Redistribution and use|Permission to use/;

/** Matches the comments that belong to it (https://esbuild.github.io/api/#legal-comments). */
const legalComment =
  /\/\*(?:!|(?:(?!\*\/)[\s\S])*?@(?:license|preserve)\b)[\s\S]*?\*\/|^[ \t]*\/\/(?:!|[ \t]*@(?:license|preserve)\b).*$/gm;

/** Lists works that packages contain in a form in which their licence is missing, by the package's name. */
const contained = { undici: ["llhttp.txt"], unpdf: ["pdf.js.txt"] };
const licences = fileURLToPath(new URL("licences", import.meta.url));

const line = `${"-".repeat(100)}\n`;

/**
 * Returns the licences of all packages of which these metafiles of esbuild say that something of them is in the output. Those with
 * the same text stand above it together. Throws for a package without a licence file.
 */
export async function collectNotices(metafiles) {
  const packages = await findPackages(metafiles);
  const read = await Promise.all(packages.map(async (one) => ({ title: toTitle(one), text: await readLicence(one) })));
  const byText = Map.groupBy(read, ({ text }) => text);
  const parts = [...byText].map(([text, those]) => `${those.map(({ title }) => title).join("\n")}\n\n${text}\n\n`);
  return ["Duet contains these packages, under these licences.\n\n", ...parts].join(line);
}

/** Returns them by name and version, each with those of its files that are in the output. */
async function findPackages(metafiles) {
  const files = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(listFiles));
  const byFolder = Map.groupBy(new Set(files), findFolder);
  byFolder.delete(undefined);
  const found = await Promise.all(
    [...byFolder].map(async ([folder, inFolder]) => {
      const description = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      return { ...description, folder, files: inFolder };
    }),
  );
  // A package may be installed twice in one version.
  const byTitle = Map.groupBy(found, toTitle);
  const sorted = [...byTitle].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, copies]) => ({ ...copies[0], files: copies.flatMap((copy) => copy.files) }));
}

/** Lists the inputs of which an output has at least a byte. */
function listFiles({ inputs }) {
  return Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
}

/** Returns the folder of the package to which a file belongs; undefined for a file of ours. */
function findFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function toTitle({ name, version, license }) {
  return `${name} ${version} (${license})`;
}

async function readLicence({ name, version, folder, files }) {
  const names = (await readdir(folder)).filter((file) => licenceFile.test(file)).sort();
  const own = names.length > 0 ? await readTexts(folder, names) : await readSections(folder);
  if (own.length === 0) throw new Error(`${name} ${version} is bundled, but ${folder} has no licence file`);
  const texts = [...own, ...(await readTexts(licences, contained[name] ?? []))];
  const codes = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const comments = codes.flatMap((code) => [...code.matchAll(legalComment)].map(([comment]) => comment.trim()));
  return [...new Set([...texts, ...comments])].join("\n\n");
}

function readTexts(folder, names) {
  return Promise.all(
    names.map(async (name) => (await readFile(join(folder, name), "utf8")).replaceAll("\r", "").trim()),
  );
}

async function readSections(folder) {
  const names = (await readdir(folder)).filter((file) => /^readme(?:\.|$)/i.test(file));
  const sections = (await readTexts(folder, names)).map((text) => licenceSection.exec(text)?.[1]?.trim() ?? "");
  return sections.filter((section) => licenceSentence.test(section));
}
