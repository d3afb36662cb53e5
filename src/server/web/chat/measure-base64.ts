/** Returns how many bytes a text in base64 stands for. */
export function measureBase64(data: string): number {
  const padding = data.endsWith("==") ? 2 : Number(data.endsWith("="));
  return Math.floor(((data.length - padding) * 3) / 4);
}
