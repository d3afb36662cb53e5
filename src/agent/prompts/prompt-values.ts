import { hasOneModel, type Run } from "../run.ts";

/**
 * Returns the values for a prompt's placeholders in a run. They include the marker, and leave out the parts about searching and
 * citing when they do not apply.
 */
export function toPlaceholderValues({
  input: { marker, conversation },
  services: {
    catalog: { tools },
    models,
  },
}: Run): Record<string, string> {
  const maySearch = tools.has("web_search");
  // One that answers in the turn in which it could still read a page must know before there is anything to cite.
  const mayRead = hasOneModel(models) && tools.has("read_page");
  const mayCite = maySearch || mayRead || conversation.sources.size > 0;
  return { marker, ...(maySearch ? {} : { search: "" }), ...(mayCite ? {} : { cite: "" }) };
}
