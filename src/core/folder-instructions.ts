/** Holds instructions that a person has written for agents in a folder, in a file such as `AGENTS.md`. */
export interface FolderInstructions {
  /** Is the absolute path of the file. */
  file: string;
  text: string;
}
