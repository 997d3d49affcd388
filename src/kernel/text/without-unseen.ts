/** Characters that are invisible, or that change the order of the text around them. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{13430}-\u{1343f}]/gu;

/** Places where one of them changes how its neighbours look, as their scripts need it. */
const NEEDED: readonly RegExp[] = [
  // emoji: presentation, keycaps, sequences
  /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/uy,
  /(?<=[#*0-9])\ufe0f(?=\u20e3)/uy,
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/uy,
  // variants of letters
  /(?<=\p{Unified_Ideograph})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/uy,
  /(?<=\p{sc=Mong})[\u180b-\u180d\u180f]/uy,
  // joiners: between letters that are written joined, and after a virama
  /(?<=[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mong}])[\u200c\u200d](?=[\p{sc=Arab}\p{sc=Syrc}\p{sc=Nkoo}\p{sc=Mong}])/uy,
  /(?<=[\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}])[\u200c\u200d](?=[\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}])/uy,
  /(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u103a\u17d2])[\u200c\u200d]/uy,
];

/** The name of a file without invisible characters, unless emoji and letters need them. */
export function withoutUnseen(name: string): string {
  return name.replace(UNSEEN, (character, at: number) => (isNeeded(name, at) ? character : ''));
}

function isNeeded(name: string, at: number): boolean {
  return NEEDED.some((pattern) => {
    pattern.lastIndex = at;
    return pattern.test(name);
  });
}
