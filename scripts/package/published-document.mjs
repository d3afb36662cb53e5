/** Matches a passage that is only for readers of a clone. */
const onlyInClones = /^<!-- in a clone -->\n[\s\S]*?^<!-- end -->\n+/gm;
/** Matches code, in which nothing is a link, or the end of a link's text and its target. */
const codeOrLink = /^ *(`{3,})[\s\S]*?^ *\1 *$|(`+)(?!`)[\s\S]*?[^`]\2(?!`)|\]\(([^()\s]+)\)/gm;

/**
 * Returns a document as it reads outside of the repository: a relative link leads to the file in the repository, as it was in this
 * version, and a picture comes from there.
 */
export function toPublished(text, { repository, version }) {
  const path = new URL(repository.url.replace(/^git\+/, "")).pathname.replace(/\.git$/, "");
  const files = `https://github.com${path}/blob/v${version}/`;
  const pictures = `https://raw.githubusercontent.com${path}/v${version}/`;
  return text.replaceAll(onlyInClones, "").replaceAll(codeOrLink, (found, _fence, _quotes, target) => {
    if (target === undefined || /^(?:[a-z]+:|#)/.test(target)) return found;
    return `](${/\.(?:svg|png)$/.test(target) ? pictures : files}${target})`;
  });
}
