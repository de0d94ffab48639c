// The page begins: at the state or the part that its address names.
at("main").hidden = false;
load(partNamed(location.hash) ? START : location.hash || START);
if (partNamed(location.hash)) partNamed(location.hash).scrollIntoView();
