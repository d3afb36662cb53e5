/** Puts text from outside between marks that it cannot forge, because it cannot guess the marker. */
export function fence(text: string, marker: string): string {
  return `<<<result ${marker}\n${text}\nresult ${marker}>>>`;
}
