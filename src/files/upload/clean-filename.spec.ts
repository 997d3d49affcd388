import { cleanFilename } from './clean-filename.js';

describe(cleanFilename.name, () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['Übersicht 2026.txt', 'Übersicht 2026.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ann\\a.txt', 'a.txt'],
    ['..', 'file'],
    ['a/', 'file'],
    ['', 'file'],
    [' . ', 'file'],
    ['.env', '.env'],
    ['in\u202Evoice\u202C.exe', 'invoice.exe'],
    ['a\r\nb\u0000c\u007F.txt', 'abc.txt'],
    ['e\u0301.txt', 'é.txt'],
    ['\ud800.txt', '\ufffd.txt'],
    ['نامه\u200cها.pdf', 'نامه\u200cها.pdf'],
    ['❤\ufe0f 👩\u200d💻.png', '❤\ufe0f 👩\u200d💻.png'],
    ['pay\u200cload\ufe0f.sh\u3164', 'payload.sh'],
  ])('makes %j %j', (sent, name) => {
    expect(cleanFilename(sent)).toBe(name);
  });

  it('shortens a name to 255 bytes, and keeps its extension and its characters whole', () => {
    expect(cleanFilename(`${'x'.repeat(300)}.docx`)).toBe(`${'x'.repeat(250)}.docx`);
    expect(cleanFilename(`${'😀'.repeat(100)}.txt`)).toBe(`${'😀'.repeat(62)}.txt`);
    expect(cleanFilename(`a.${'x'.repeat(300)}`)).toHaveLength(255);
    expect(cleanFilename(`${'ن\u200c'.repeat(100)}ن.txt`)).toBe(`${'ن\u200c'.repeat(49)}ن.txt`);
  });
});
