import { Injectable } from '@nestjs/common';
import { JudgeProvider, PermissionJudge } from 'parley/permission-judge';
import type { CallToJudge, Opinion } from 'parley/permission-judge';

/** Commands run without being asked about only while somebody is there to look after them. */
@Injectable()
@JudgeProvider()
export class OfficeHoursJudge extends PermissionJudge {
  readonly name = 'office-hours';

  judge({ policy, tool_input }: CallToJudge): Opinion | undefined {
    if (policy?.category !== 'execute') return undefined;
    if (/\bshutdown\b/.test(String(tool_input['command'])))
      return { decision: 'deny', reason: 'Nobody shuts this machine down.' };
    const hour = new Date().getHours();
    if (hour >= 8 && hour < 18) return undefined;
    return { decision: 'ask', reason: 'It is outside of office hours.' };
  }
}
