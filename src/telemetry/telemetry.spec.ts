import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { Telemetry } from './telemetry.js';

describe(Telemetry.name, () => {
  it('calls the listeners of an event, in order, until they leave', () => {
    const telemetry = new Telemetry();
    const heard: string[] = [];
    const leave = telemetry.on('quota_refused', ({ quota }) => heard.push(`first ${quota}`));
    telemetry.on('quota_refused', ({ quota }) => heard.push(`second ${quota}`));
    telemetry.on('model_failed', ({ code }) => heard.push(code));
    telemetry.emit('quota_refused', { quota: 'a' });
    leave();
    telemetry.emit('quota_refused', { quota: 'b' });
    expect(heard).toEqual(['first a', 'second a', 'second b']);
  });

  it('knows if somebody listens', () => {
    const telemetry = new Telemetry();
    expect(telemetry.has('quota_refused')).toBe(false);
    const leave = telemetry.on('quota_refused', () => {});
    expect(telemetry.has('quota_refused')).toBe(true);
    leave();
    expect(telemetry.has('quota_refused')).toBe(false);
  });

  it('logs a listener that throws, once for each event, and goes on with the others', () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    const telemetry = new Telemetry();
    const heard: string[] = [];
    telemetry.on('quota_refused', () => {
      throw new Error('broken');
    });
    telemetry.on('quota_refused', ({ quota }) => heard.push(quota));
    for (const quota of ['a', 'b']) telemetry.emit('quota_refused', { quota });
    expect(heard).toEqual(['a', 'b']);
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
  });
});
