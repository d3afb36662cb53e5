/** How many UTF-16 units two texts begin with alike. */
export function countCommonPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length + chunk <= most && one.slice(length, length + chunk) === other.slice(length, length + chunk)) {
    length += chunk;
  }
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** How many they end with alike, behind a prefix that they share. */
export function countCommonSuffix(one: string, other: string, prefix: number): number {
  const most = Math.min(one.length, other.length) - prefix;
  let length = 0;
  while (length + chunk <= most && endOf(one, length) === endOf(other, length)) length += chunk;
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) {
    length++;
  }
  return length;
}

function endOf(text: string, length: number): string {
  return text.slice(text.length - length - chunk, text.length - length);
}

/** Compared at once, which is much faster than one by one. */
const chunk = 4_096;
