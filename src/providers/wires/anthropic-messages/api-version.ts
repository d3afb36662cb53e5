/** Is the version of the API that Anthropic's own package asks for. */
export const apiVersion = "2026-10-21";
