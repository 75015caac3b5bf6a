// A page made by arne: finds its data block and brings the parts to life.

import './view.css';
import { readPage } from './data';
import { Live } from './live';
import { mountPlayground } from './playground';
import { mountRobot } from './robot-page';
import { mountRun } from './run-page';

/** Set by the build. */
declare const WITH_LIVE: boolean;

async function start(): Promise<void> {
    const playground = document.getElementById('playground');
    if (WITH_LIVE && playground) return mountPlayground(playground);
    const data = readPage();
    const stage = document.getElementById('stage');
    if (data?.kind === 'run') return mountRun(data, stage);
    if (!data || !stage) return;
    const live =
        WITH_LIVE && data.live ? await Live.open([{ path: '/robot.yaml', data: data.live }]) : null;
    const joints = document.getElementById('joints');
    await mountRobot(data, { stage, joints, live: document.getElementById('live') }, live);
}

void start();
