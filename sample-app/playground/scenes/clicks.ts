import type { Process } from '../../../test/model/world.js';
import { Stage } from '../stage.js';
import type { Frame, Played, Scene } from './scene.js';

const LENGTH = 5_200;
/** Ms that the bank takes for a charge. */
const SLOW = 2_200;
const FIRST_CLICK = 300;
const SECOND_CLICK = 1_600;
const ORDER = 'order:7';
const OPTIONS = { ttl: 3_000, autoExtend: true };
const KEPT = 60_000;

/** A shopper who clicks twice, two servers, and a bank that is slow. */
class Shop {
  readonly stage = new Stage({ showsNodes: false });
  readonly shopper = this.stage.lane('shopper', 'Shopper', 'person');
  readonly servers = [this.stage.server('Server 1'), this.stage.server('Server 2')] as const;
  readonly bank = this.stage.lane('bank', 'Bank', 'store');
  readonly told: string[] = [];
  charges = 0;

  async charge(server: Process): Promise<string> {
    const { stage, bank } = this;
    await stage.say(server.channel, bank, 'charge 20 €');
    const works = stage.recorder.span(bank, 'works', 'charges');
    await stage.wait(SLOW);
    works.to = stage.world.time;
    this.charges += 1;
    stage.recorder.note(bank, `charge ${this.charges} is done`, this.charges > 1 ? 'bad' : 'good');
    const receipt = `receipt ${this.charges}`;
    await stage.say(bank, server.channel, receipt, { hears: server });
    return receipt;
  }

  async tell(server: Process, text: string, isLost = false): Promise<void> {
    const tone = /receipt/.test(text) ? 'good' : 'wait';
    await this.stage.say(server.channel, this.shopper, text, { tone: isLost ? 'plain' : tone, isLost });
    this.told.push(text);
    this.stage.recorder.note(this.shopper, `sees ${text}`, tone);
  }

  /** Plays both clicks; the answer of the first server is lost. */
  async play(serve: (shop: Shop, server: Process) => Promise<string>): Promise<this> {
    const [first, second] = this.servers;
    const click = async (server: Process, at: number, label: string): Promise<void> => {
      await this.stage.wait(at);
      await this.stage.say(this.shopper, server.channel, label, { hears: server });
      await this.tell(server, await serve(this, server), server === first);
    };
    void click(first, FIRST_CLICK, 'pay');
    void click(second, SECOND_CLICK, 'pay (again)');
    return this;
  }

  async end(tone: (shop: Shop) => Played['tone'], more: (shop: Shop) => string): Promise<Played> {
    const trace = await this.stage.play(LENGTH);
    const count = this.charges === 1 ? '1 charge' : `${this.charges} charges`;
    return { trace, tone: tone(this), verdict: `${count}; ${more(this)}` };
  }
}

const lastOf = ({ told }: Shop): string => told.at(-1) ?? 'nothing';
const sees = (shop: Shop): string => `the shopper sees ${lastOf(shop)}`;

const nothing: Scene = {
  name: 'No lock',
  tells: 'The shopper sees nothing for a while, and clicks again. Both clicks reach the bank.',
  play: async () => {
    const shop = await new Shop().play((one, server) => one.charge(server));
    return shop.end(({ charges }) => (charges > 1 ? 'bad' : 'good'), sees);
  },
};

const locked: Scene = {
  name: 'A lock',
  tells: 'The second click is refused with 409. The answer to the first click is lost. Did it work?',
  play: async () => {
    const shop = await new Shop().play(async (one, server) => {
      try {
        const held = await one.stage.take(server, ORDER, { ...OPTIONS, waitTimeout: 0 });
        const receipt = await one.charge(server);
        held.end();
        return receipt;
      } catch {
        return '409: did it work?';
      }
    });
    return shop.end(({ charges }) => (charges > 1 ? 'bad' : 'wait'), sees);
  },
};

/** As `@Idempotent` does it: lock, open, run, keep the reply, release; or wait and read the reply. */
async function once(shop: Shop, server: Process): Promise<string> {
  const { stage } = shop;
  const { register } = server.redlock;
  const waits = stage.recorder.span(server.channel, 'waits', 'waits for the receipt');
  const taken = await server.redlock.acquireOnce(
    ORDER,
    { ...OPTIONS, waitTimeout: 8_000 },
    { fingerprint: null, ttl: KEPT },
  );
  waits.to = stage.world.time;
  if (taken === undefined) {
    const peeked = await register.peek(ORDER);
    return peeked.kind === 'kept' ? peeked.kept.record : 'no answer';
  }
  const held = stage.hold(server, ORDER, taken.lock);
  const ballot = { token: taken.lock.fencingToken, owner: taken.lock.value, fingerprint: null };
  if (!taken.isOpened) {
    const opened = await register.open(ORDER, ballot, KEPT);
    if (opened.kind === 'kept') {
      held.end();
      return opened.kept.record;
    }
  }
  const receipt = await shop.charge(server);
  await register.settle(ORDER, ballot, receipt, KEPT);
  stage.recorder.note(server.channel, `keeps ${receipt} on the nodes`, 'good');
  held.end();
  return receipt;
}

const idempotent: Scene = {
  name: '@Idempotent',
  tells: 'The second click waits for the first one. It gets the same receipt.',
  play: async () => {
    const shop = await new Shop().play(once);
    return shop.end((one) => (one.charges === 1 && /receipt/.test(lastOf(one)) ? 'good' : 'bad'), sees);
  },
};

export const clicks: Frame = {
  id: 'clicks',
  title: 'A lost answer and a second click',
  short: 'Second click',
  lead: 'A shopper pays. The bank is slow, and the answer is lost on its way. The same two clicks, three times.',
  scenes: [nothing, locked, idempotent],
};
