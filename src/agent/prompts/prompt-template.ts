/**
 * In a prompt `{word}`, of lower-case letters only, is a placeholder (docs/development/agent-architecture.md#prompt-templates).
 * `{{word}}` stands for `{word}` itself, and every other brace, as in JSON or `{{step_1}}`, for itself.
 */
const place = /\{\{([a-z]+)\}\}|\{([a-z]+)\}/g;

/** Returns the names of the placeholders, each once, in their order. */
export function findPlaceholders(template: string): string[] {
  return [...new Set([...template.matchAll(place)].flatMap(([, , name]) => name ?? []))];
}

/** Fills each place once: what was filled in is not looked at again. */
export function fillPlaceholders(template: string, fill: (name: string) => string): string {
  return template.replace(place, (_, literal: string | undefined, name: string) =>
    literal === undefined ? fill(name) : `{${literal}}`,
  );
}
