import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { Bubblewrap } from '../../src/workspace/sandbox/bubblewrap.js';
import { CommandWorld } from '../support/tools/command-world.js';
import { SANDBOXES } from '../support/tools/sandboxes.js';

const BUBBLEWRAP = SANDBOXES.find(({ name }) => name === 'bubblewrap')!;

/**
 * Each prints "escaped" if it gets where it should not, or leaves something there, which is looked
 * for in the end. `$BASE` is where the secrets are, `$PORT` what the host listens on, `$SERVER` its
 * pid.
 */
const ESCAPES: Readonly<Record<string, string>> = {
  'connect to a port of the host': 'exec 3<>/dev/tcp/127.0.0.1/$PORT && echo escaped',
  'connect to a port of the host by another address':
    'exec 3<>/dev/tcp/0.0.0.0/$PORT && echo escaped',
  'have a network at all': 'grep -q : <(tail -n +3 /proc/net/dev | grep -v lo:) && echo escaped',
  'connect to an abstract socket': 'grep -q @ /proc/net/unix && echo escaped',
  'find a socket of another program': 'test -n "$(ls -A /run)" && echo escaped',
  'read other chats': 'grep -r secret $BASE/work/theirs && echo escaped',
  'list other chats': 'ls -A $BASE/work | grep -v ^mine$ && echo escaped',
  'read the data of the server': 'grep -r secret $BASE/data && echo escaped',
  'read other chats through a link': 'ln -s $BASE/work/theirs x; cat x/secret && echo escaped',
  'read other chats through the parent': 'cat ../theirs/secret && echo escaped',
  'read through the root of another process': 'cat /proc/$SERVER/root$BASE/secret && echo escaped',
  'read through the root of process 1': 'cat /proc/1/root$BASE/data/secret && echo escaped',
  'read the environment of the server': 'cat /proc/$SERVER/environ && echo escaped',
  'read the environment of its own ancestors':
    'cat /proc/1/environ | tr "\\0" "\\n" | grep -v ^GIT_CONFIG_KEY_ | grep -i -e key -e token -e secret && echo escaped',
  'have secrets in its environment':
    'env | grep -i -e api_key -e token -e secret -e database && echo escaped',
  'see processes of the host': 'test -d /proc/$SERVER && echo escaped',
  'see more processes than its own': '(( $(ls -d /proc/[0-9]* | wc -l) > 10 )) && echo escaped',
  'signal the server': 'kill -0 $SERVER && echo escaped',
  'signal everybody': 'kill -s URG -1; kill -0 $SERVER && echo escaped',
  'trace the server': 'test -r /proc/$SERVER/mem && echo escaped',
  'write outside': 'echo x > $BASE/new',
  'write into a hidden folder': 'echo x > $BASE/data/new; echo x > $BASE/work/new',
  'write to /etc': 'echo x >> /etc/hosts && echo escaped',
  'write to /usr': 'touch /usr/bin/parley-test && echo escaped',
  'write to the root': 'mkdir /parley-test && echo escaped',
  'write to the home folder of the server':
    'touch ~root/parley-test /home/parley-test && echo escaped',
  'write to /sys':
    'for f in /sys/kernel/mm/ksm/run /sys/power/state; do echo 0 > $f && echo escaped; done',
  'change the kernel':
    'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo escaped',
  'ask the kernel for a key of its own': 'echo h > /proc/sysrq-trigger && echo escaped',
  'read disks':
    'for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do test -e $d && echo escaped; done',
  'make devices': 'mknod disk b 8 0 && echo escaped',
  mount: 'mount -t tmpfs none /mnt && echo escaped',
  'make the view writable': 'mount -o remount,rw / && echo escaped',
  'uncover what is hidden':
    'umount $BASE/work || umount -l $BASE/data; cat $BASE/data/secret && echo escaped',
  'become more in a user namespace': 'unshare -Ur true && echo escaped',
  'enter other namespaces':
    'nsenter -t 1 -m -p true && echo escaped; nsenter -t $SERVER -m true && echo escaped',
  'leave its root': 'chroot /proc/1/root true && echo escaped',
  'have rights of root': 'grep CapEff /proc/self/status | grep -v 0000000000000000 && echo escaped',
  'get rights through a program that gives them':
    'for p in su sudo passwd; do find $(command -v $p) -perm -4000 2>/dev/null; done | head -1 | xargs -r -I{} sh -c "echo x | {} root -c id" | grep uid=0 && echo escaped',
  'change its own limits': 'ulimit -u unlimited && (( $(ulimit -Hu) > 100000 )) && echo escaped',
  'change the host name':
    'hostname parley-test && test "$(cat /proc/sys/kernel/hostname)" = parley-test && echo escaped',
  'move itself to another control group':
    'for f in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); do echo $$ > $f && echo escaped; done',
  'read keys of the server':
    'cat ~root/.ssh/* ~root/.netrc ~root/.aws/* 2>/dev/null | grep . && echo escaped',
  'leave something in /tmp for others': 'touch /tmp/parley-test-left; false',
};

(BUBBLEWRAP.fault ? describe.skip : describe)(`From ${Bubblewrap.name} a command can not`, () => {
  let world: CommandWorld;
  let server: Server;
  let prelude: string;
  beforeAll(async () => {
    world = await CommandWorld.open(BUBBLEWRAP);
    server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    prelude = `BASE=${world.base} PORT=${port} SERVER=${process.pid};`;
  });
  afterAll(async () => {
    server.close();
    await world.close();
  });

  it.each(Object.entries(ESCAPES))('%s', async (_, script) => {
    expect((await world.run(`${prelude} { ${script}; } 2>/dev/null`)).output).not.toContain(
      'escaped',
    );
  });

  it('leave anything behind', async () => {
    expect((await world.run('ls -A /tmp')).output).not.toContain('parley-test-left');
    expect(await readFile(join(world.base, 'data/secret'), 'utf8')).toBe('a secret');
    expect(await readFile(join(world.base, 'work/theirs/secret'), 'utf8')).toBe('a secret');
    for (const [folder, names] of Object.entries({
      '': ['data', 'home', 'secret', 'work'],
      data: ['secret'],
      work: ['mine', 'theirs'],
    }))
      expect((await readdir(join(world.base, folder))).toSorted()).toEqual(names);
  });

  it('do without what it needs', async () => {
    await writeFile(join(world.workspace, 'script.sh'), 'echo works > /tmp/x && cat /tmp/x');
    expect(
      await world.run('sh script.sh && git --version >/dev/null && date >/dev/null'),
    ).toMatchObject({
      code: 0,
      output: 'works\n',
    });
  });
});
