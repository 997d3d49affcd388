import { Cluster } from '../support/server/cluster.js';
import type { ClusterMember } from '../support/server/cluster-member.js';
import { eventually } from '../support/eventually.js';
import { findPostgresFault } from '../support/store/databases.js';
import { findRedisServerFault } from '../support/store/redis-server.js';
import { playScript, script } from '../support/model/scripted-answers.js';

const HANGS = script({ hang: true });
const fault = (await findPostgresFault()) ?? findRedisServerFault();

(fault ? describe.skip : describe)('An API process that is killed with its readers', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ DISCONNECT_GRACE_MS: '1000' });
    cluster.fake.otherwise(playScript);
  });
  afterAll(() => cluster?.close());

  /** Reads to the first event, and stays. */
  const read = async (member: ClusterMember, chat_id: string) => {
    const stream = await member.api.stream(chat_id, { user_message: HANGS });
    const { value: first } = await stream[Symbol.asyncIterator]().next();
    return { chat_id, id: first!.data.interaction_id, close: () => stream.close() };
  };

  it('leaves no run behind that was to end with them, and ends no other one', async () => {
    const [kept, killed] = cluster.apis;
    const staying = await read(kept, 'staying');
    const lost = await read(killed, 'lost');
    await cluster.fake.request(2);
    await killed.kill('SIGKILL');
    const status = async (of: { chat_id: string; id: string }): Promise<string> =>
      (await kept.api.interaction(of)).status;
    await eventually(async () => (await status(lost)) === 'CANCELLED');
    expect(await status(staying)).toBe('RUNNING');
    staying.close();
    await eventually(async () => (await status(staying)) === 'CANCELLED');
  });
});
