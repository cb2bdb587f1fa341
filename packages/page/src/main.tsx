/** Starts the page. */
import { render } from 'preact';
import { App } from './app';
import './style/base.css';
import './style/frame.css';
import './style/notice.css';
import './style/facts.css';
import './style/table.css';
import './style/dialog.css';
import './style/form.css';
import './style/inbox.css';
import './style/call.css';
import './style/turn.css';

render(<App />, document.getElementById('page')!);
