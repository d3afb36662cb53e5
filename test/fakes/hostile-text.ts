/**
 * What a text from outside may hold to drive a terminal or deceive its reader
 * (docs/development/faults-tools.md#c-terminal-and-logs), by what it tries.
 */
export const attacks = {
  "rewrites its line": "good \u001b[24D\u001b[Kevil",
  "clears the screen": "\u001b[2J\u001b[3J\u001b[H",
  "fills the clipboard": "\u001b]52;c;ZXZpbA==\u0007",
  "fills it in another form": "\u001b]52;c;ZXZpbA==\u001b\\",
  "fills it and does not end": "\u001b]52;c;ZXZpbA== ",
  "fills it in 8 bits": "\u009d52;c;ZXZpbA==\u009c",
  "feigns a link": "\u001b]8;;https://evil.example/\u001b\\bank.example\u001b]8;;\u001b\\",
  "sets the title": "\u001b]0;owned\u0007\u001b]2;owned\u001b\\",
  "resets the terminal": "\u001bc\u001b[!p",
  "sends strings to the device": "\u001bP$qm\u001b\\\u001b_Gi=1;AAAA\u001b\\\u001b^pm\u001b\\\u001bXsos\u001b\\",
  "asks where the cursor is, who the terminal is, and for its colours":
    "\u001b[6n\u001b[c\u001b[>q\u001b]11;?\u0007\u001b[18t",
  "leaves the screen and takes the mouse": "\u001b[?1049h\u001b[?1003h\u001b[?2004l\u001b[<u",
  "goes back and rings": "safe\rEVIL\b\b\u0007\u0000\u000b\u000c",
  "hides one escape in another": "\u001b\u001b[31m[31m\u001b[\u001b[0m31m",
  "turns the direction round": "rm \u202egpj.exe\u2066\u2069",
  "hides letters": "a\u200bb\ufeffc\u{e0041}\u{e0042}\u00ad",
  "hides them in what is blank": "a\u{e0101}\u3164\u115f\uffa0\u034f\u17b4\u180b\ufe00\u2800b",
  "ends lines in odd ways": "x\u2028y\u2029z\u0085w",
} as const;

/** All of them, one after the other. */
export const poison = Object.values(attacks).join(" ");
