/**
 * The header that has a browser save what comes, never show it, under this name.
 * @see RFC 6266 · RFC 8187
 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._ -]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
