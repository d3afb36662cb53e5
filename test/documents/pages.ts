// The documents of the repository, their links and their anchors.
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

/** Every document that people read, from the repository's root. */
export const documents: readonly string[] = [
  ...["README.md", "README.zh.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...globSync("docs/**/*.md").map((file) => file.replaceAll("\\", "/")),
].sort();

export function readDocument(file: string): string {
  return readFileSync(file, "utf8");
}

/** The targets of a document's links and images, without those in code. */
export function readLinks(file: string): string[] {
  const prose = withoutCode(readDocument(file));
  const written = prose.matchAll(/\]\(([^()\s]+)\)|<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"|^\[[^\]]+\]:\s*(\S+)/gm);
  return [...written].map(([, inline, html, reference]) => inline ?? html ?? reference ?? "");
}

/** Says what is wrong with a link; undefined for one that leads somewhere, or out of the repository. */
export function findLinkProblem(file: string, link: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined;
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? file : posix.join(posix.dirname(file), decodeURI(path));
  if (target.startsWith("..")) return `${link} leads out of the repository`;
  if (!existsSync(target)) return `${link}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  return readAnchors(target).has(decodeURIComponent(anchor))
    ? undefined
    : `${link}: ${target} has no heading #${anchor}`;
}

/** The anchors of a document as GitHub makes them of headings, and those that are written as `<a id>`. */
function readAnchors(file: string): Set<string> {
  const text = readDocument(file);
  const headings = withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id));
  for (const [, heading = ""] of headings) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
}

/** A text without its fenced blocks. */
export function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(`{3,})[\s\S]*?^ *\2 *$/gm, "");
}
