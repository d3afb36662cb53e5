import { fieldRefusedError } from "../field-refused-error.ts";

/** Returns what a role means by this table. Throws `HttpRefusalError` (400), which names the message at `place`, for any other. */
export function readRole<Role>(roles: Readonly<Record<string, Role>>, written: string, place: string): Role {
  const role = Object.hasOwn(roles, written) ? roles[written] : undefined;
  if (role !== undefined) return role;
  const shown = JSON.stringify(written.slice(0, 50));
  const allowed = Object.keys(roles).join(", ");
  throw fieldRefusedError(`${place}.role`, {
    zh: `${shown} 不可用（允许：${allowed}）`,
    en: `${shown} (allowed: ${allowed})`,
  });
}
