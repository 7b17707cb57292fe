/** What the texts of the demo are made of. */
export const WORDS: readonly [string, ...string[]] = [
  'the',
  ...'a harbour quay crane tide ship cargo sailor captain rope anchor winch lamp fog dawn night wind rain signal pilot manifest customs clerk ledger crate barrel engine boiler deck hull mast slowly quickly often never carried hauled waited counted signed sailed moored loaded unloaded wrote read under over beside beyond before after'.split(
    ' ',
  ),
];
