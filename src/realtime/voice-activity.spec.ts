import { VoiceActivity } from './voice-activity.js';
import type { VoiceEvent } from './voice-activity.js';
import { noise, silence, tone } from '../../test/support/model/pcm.js';

const LONGEST_MS = 10_000;

function heard(...parts: readonly Buffer[]): VoiceEvent[] {
  const voice = new VoiceActivity(LONGEST_MS);
  return parts.flatMap((part) => voice.push(part));
}

const typesOf = (events: readonly VoiceEvent[]) => events.map(({ type }) => type);

describe(VoiceActivity.name, () => {
  it('finds an utterance, with what came just before it', () => {
    const [started, stopped, ...others] = heard(silence(1000), tone(500), silence(1000));
    expect(started).toEqual({ type: 'started', at_ms: 1000 });
    expect(stopped).toMatchObject({ type: 'stopped', at_ms: 1500 });
    expect(others).toEqual([]);
    const { utterance } = stopped as Extract<VoiceEvent, { type: 'stopped' }>;
    expect(utterance.length / 48).toBe(300 + 500 + 700);
  });

  it('starts within 60 ms of speech', () => {
    const voice = new VoiceActivity(LONGEST_MS);
    voice.push(silence(500));
    expect(voice.push(tone(40))).toEqual([]);
    expect(typesOf(voice.push(tone(20)))).toEqual(['started']);
  });

  it('ends after 700 ms of silence, not before', () => {
    const voice = new VoiceActivity(LONGEST_MS);
    voice.push(tone(500));
    expect(voice.push(silence(680))).toEqual([]);
    expect(typesOf(voice.push(silence(20)))).toEqual(['stopped']);
  });

  it('takes pauses of words as part of an utterance', () => {
    expect(typesOf(heard(tone(300), silence(600), tone(300), silence(700)))).toEqual([
      'started',
      'stopped',
    ]);
  });

  it('hears nothing in silence, quiet noise and clicks', () => {
    const clicks = Array.from({ length: 20 }, () => [tone(20), silence(180)]).flat();
    expect(heard(silence(5000), noise(5000, 150), ...clicks)).toEqual([]);
  });

  it('hears the same, however the audio is cut', () => {
    const all = Buffer.concat([silence(300), tone(400), silence(900), tone(400), silence(900)]);
    const pieces = Array.from({ length: Math.ceil(all.length / 1234) }, (_, n) =>
      all.subarray(n * 1234, (n + 1) * 1234),
    );
    const inBase64 = (events: readonly VoiceEvent[]) =>
      JSON.stringify(events.map((e) => ('utterance' in e ? e.utterance.toString('base64') : e)));
    expect(inBase64(heard(...pieces)) === inBase64(heard(all))).toBe(true);
  });

  it('ends noise that never ends, at its longest', () => {
    const events = heard(...Array.from({ length: 25 }, () => tone(1000)));
    expect(typesOf(events).slice(0, 2)).toEqual(['started', 'stopped']);
    for (const event of events)
      if (event.type === 'stopped')
        expect(event.utterance.length).toBeLessThanOrEqual(LONGEST_MS * 48);
  });

  it('gets used to noise: then speech has to be louder', () => {
    const voice = new VoiceActivity(LONGEST_MS);
    for (let second = 0; second < 60; second++) voice.push(noise(1000, 1500));
    expect(voice.isSpeaking).toBe(false);
    expect(voice.push(noise(2000, 1500))).toEqual([]);
    expect(typesOf(voice.push(tone(300)))).toEqual(['started']);
    expect(typesOf(voice.push(noise(1000, 1500)))).toEqual(['stopped']);
  });

  it('gives what was pushed since the last utterance where it is committed', () => {
    const voice = new VoiceActivity(LONGEST_MS);
    expect(voice.commit()).toBeUndefined();
    voice.push(silence(505));
    expect(voice.commit()!.length / 48).toBe(505);
    expect(voice.commit()).toBeUndefined();
    voice.push(tone(500));
    expect(voice.commit()!.length / 48).toBe(500);
    expect([voice.isSpeaking, voice.push(silence(2000))]).toEqual([false, []]);
  });

  it('keeps no more than the longest utterance of what nothing was heard in', () => {
    const voice = new VoiceActivity(LONGEST_MS);
    for (let second = 0; second < 30; second++) voice.push(silence(1000));
    expect(voice.commit()!.length).toBe(LONGEST_MS * 48);
  });
});
