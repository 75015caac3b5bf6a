// A page made by arne: finds its data block and brings the parts to life.

import './view.css';
import { readPage } from './data';
import { mountRobot } from './robot-page';
import { mountRun } from './run-page';

const data = readPage();
const host = document.getElementById('stage');
if (data?.kind === 'run') void mountRun(data, host);
else if (data && host) void mountRobot(data, host);
